import os
import torch


def backend():
    if os.environ.get("MODE"):
        return "0", "PCI_BUS_ID"
    return "1", "FASTEST_FIRST"


card, order = backend()
os.environ["CUDA_VISIBLE_DEVICES"], os.environ["CUDA_DEVICE_ORDER"] = card, order
torch.cuda.init()
