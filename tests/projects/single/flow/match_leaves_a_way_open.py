import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
match sys.argv[1]:
    case "big":
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    case "small":
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()  # ~ missing-visible-devices note
