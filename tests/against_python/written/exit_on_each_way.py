import os
import torch


class Card:
    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


def choose():
    with Card():
        if os.environ.get("MODE"):
            return
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


choose()
torch.cuda.init()
