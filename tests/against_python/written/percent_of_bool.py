import os

import torch

first = True
os.environ["CUDA_VISIBLE_DEVICES"] = "%d" % first
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = "%d,%i" % (False, not first)
os.environ["CUDA_VISIBLE_DEVICES"] = "%s" % first
os.environ["CUDA_VISIBLE_DEVICES"] = f"{first:d}"
