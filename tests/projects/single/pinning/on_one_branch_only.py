import os
import sys

import torch

if "--second" in sys.argv:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"  # ~ pin-after-gpu-import note
torch.ones(2).cuda()  # ~ missing-visible-devices note
