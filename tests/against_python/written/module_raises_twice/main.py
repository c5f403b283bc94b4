import os
import torch

try:
    import part
except ValueError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
try:
    import part
except ValueError:
    torch.cuda.init()
