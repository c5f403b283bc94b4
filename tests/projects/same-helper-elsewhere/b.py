import torch

from wrong import setup_gpu

setup_gpu()
torch.ones(1).cuda()  # ~ missing-visible-devices warning
