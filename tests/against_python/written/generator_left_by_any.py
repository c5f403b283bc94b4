import os

import torch


def cards():
    try:
        yield "1"
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    finally:
        torch.cuda.is_available()


found = any(map(str, cards()))
