import os as operating_system

import torch

operating_system.environ.__setitem__("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
operating_system.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.cuda.init()
