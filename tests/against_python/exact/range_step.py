import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(i) for i in range(6, 0, -2))
torch.cuda.init()
