import os
import sys

import torch

for argument in sys.argv[1:]:
    if not argument.isdigit():
        continue
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    break
else:
    sys.exit("no card")
torch.cuda.init()
