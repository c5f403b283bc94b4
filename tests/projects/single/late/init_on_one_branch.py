import os
import sys

import torch

if "--check" in sys.argv:
    print(torch.cuda.get_device_name(0))
    sys.exit()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1).cuda()
