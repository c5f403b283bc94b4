import os

DEVICE = None


def configure():
    global DEVICE
    index = "0"

    def inner():
        nonlocal index
        index = "1"

    inner()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = index
    import torch

    DEVICE = torch.device("cuda:0")


configure()
import torch

torch.ones(1, device=DEVICE)
