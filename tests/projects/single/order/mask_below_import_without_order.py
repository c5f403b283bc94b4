import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-gpu-import note, missing-device-order warning
torch.cuda.init()
