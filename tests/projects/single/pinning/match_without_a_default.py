import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
match sys.argv[1]:
    case "first":
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    case "second":
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

torch.ones(2).cuda()  # ~ missing-visible-devices note
