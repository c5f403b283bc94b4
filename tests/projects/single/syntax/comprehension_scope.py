import os

import torch

names = [os for os in ("linux", "darwin")]
print(names, torch.version.cuda)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1).cuda()
