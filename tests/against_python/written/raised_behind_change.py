import os
import torch


def choose():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    if os.environ.get("MODE"):
        raise ValueError
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
    if os.environ.get("LEVEL"):
        raise KeyError
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"


for _ in range(3):
    try:
        choose()
    except ValueError:
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    except KeyError:
        pass
torch.cuda.init()
