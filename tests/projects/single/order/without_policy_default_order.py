import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ missing-device-order warning

import torch

print(torch.cuda.init())
