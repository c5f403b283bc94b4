import os

import torch

a = b = ["0"]
a += ["1"]
c = a + ["2"]
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(b) + str(len(c))
torch.cuda.init()
