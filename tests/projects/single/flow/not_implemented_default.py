import os
import sys


def pin(kind):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    match kind:
        case "a" | "b":
            os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        case str() as name if name.isdigit():
            os.environ["CUDA_VISIBLE_DEVICES"] = name
        case _:
            raise NotImplementedError(kind)


pin(sys.argv[1])

import torch

torch.cuda.init()
