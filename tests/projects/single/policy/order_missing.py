import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ missing-device-order error

import torch

torch.ones(2).cuda()
