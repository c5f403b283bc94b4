import os


class Pinned:
    def __init__(self, index):
        self.index = index

    def __enter__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.index
        return self

    def __exit__(self, *exc):
        return False


with Pinned("0"):
    import torch

    torch.ones(2).cuda()
