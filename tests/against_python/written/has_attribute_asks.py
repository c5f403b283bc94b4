import os

import torch


class Model:
    @property
    def card(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return "1"

    @property
    def broken(self):
        torch.cuda.init()
        raise AttributeError("broken")


class Asked:
    def __getattr__(self, name):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        raise AttributeError(name)


if not hasattr(Model(), "card"):
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
if hasattr(Model(), "broken"):
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
if hasattr(Asked(), "card"):
    os.environ["CUDA_VISIBLE_DEVICES"] = "4"
