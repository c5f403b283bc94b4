import os

import torch


class Stage:
    def __matmul__(self, other):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        return self

    def __rshift__(self, other):
        os.environ["CUDA_VISIBLE_DEVICES"] = other
        return self

    def __rpow__(self, other):
        torch.cuda.init()
        return other

    def __iand__(self, other):
        torch.cuda.current_device()
        return self

    def __xor__(self, other):
        torch.cuda.device_count()


stage = Stage()
stage @ 2 >> "1"
2**stage
stage &= 3
