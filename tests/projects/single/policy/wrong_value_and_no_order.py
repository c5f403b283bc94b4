import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ wrong-visible-devices error, missing-device-order error

import torch

torch.ones(2).cuda()
