import os

import torch

tensors = [torch.ones(1), torch.zeros(1)]
moved = list(map(lambda tensor: tensor.cuda(), tensors))
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
