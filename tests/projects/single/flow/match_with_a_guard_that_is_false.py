import os
import sys

EARLY = False

match sys.argv[1:]:
    case [card] if EARLY:
        import torch

        torch.cuda.init()
    case _:
        pass

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
