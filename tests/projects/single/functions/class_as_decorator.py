import functools
import os


class Pinned:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return self.function(*args)


@Pinned
def main():
    import torch

    torch.cuda.init()


main()
