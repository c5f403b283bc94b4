"""A program that loses what its argument says, each time it is run, or once."""

import sys

import torch

import kept


def main(how):
    if how == "nothing":
        return
    if how == "another_card" and not torch.cuda.is_initialized():
        # Something pins the process anew before CUDA is initialised.
        import os

        before = os.environ["CUDA_VISIBLE_DEVICES"]
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        torch.cuda.init()
        os.environ["CUDA_VISIBLE_DEVICES"] = before
    work = torch.zeros(1000, 1000, device="cuda:0")
    if how == "smallest":
        kept.TENSORS.append(torch.zeros(1, device="cuda:0"))
    elif how == "model" and not kept.TENSORS:
        kept.TENSORS.append(torch.zeros(1000, 1000, device="cuda:0"))
    elif how == "late" and kept.count() == 4:
        kept.TENSORS.append(torch.zeros(1000, 1000, device="cuda:0"))
    elif how == "traceback":
        raise_and_catch()
    elif how == "fails" and kept.count() == 4:
        raise ValueError("the fourth")
    elif how == "code":
        sys.exit(3)
    elif how == "raw":
        import simulated_driver

        simulated_driver.take(0, 4 << 20)
    elif how == "tensorflow":
        import tensorflow

        kept.TENSORS.append(tensorflow.zeros((1000, 1000)))
    del work


def raise_and_catch():
    activations = torch.zeros(1000, 1000, device="cuda:0")
    try:
        raise ValueError(activations.shape)
    except ValueError:
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.exit(0)
