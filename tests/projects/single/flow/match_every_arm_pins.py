import os
import sys

match sys.argv[1:]:
    case ["big"]:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    case ["small", *_]:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    case _:
        sys.exit("which card?")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()
