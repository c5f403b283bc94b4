import os
import sys

if len(sys.argv) > 1:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = sys.argv[1]
else:
    sys.exit("usage: run.py GPU")

import torch

torch.ones(2).cuda()
