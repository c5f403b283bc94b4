from right import setup_gpu

setup_gpu()

import torch

torch.ones(1).cuda()
