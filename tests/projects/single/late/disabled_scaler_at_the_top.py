import os

import torch

USE_AMP = False
SCALER = torch.cuda.amp.GradScaler(enabled=USE_AMP)  # ~ deprecated-amp-api warning
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1).cuda()
