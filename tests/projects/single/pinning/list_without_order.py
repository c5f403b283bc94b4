import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0, 1"  # ~ missing-device-order warning

import torch

torch.ones(2).cuda()
