import os

import torch

card = 2
os.environ["CUDA_VISIBLE_DEVICES"] = str(eval("card + 1"))
exec("card = 9")
os.environ["CUDA_DEVICE_ORDER"] = str(card)
torch.cuda.init()
