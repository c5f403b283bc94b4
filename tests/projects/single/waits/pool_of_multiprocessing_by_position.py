import os
from multiprocessing import Pool


def start():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"


def work(index):
    import torch

    torch.cuda.set_device(1)
    return index


if __name__ == "__main__":
    with Pool(2, start) as pool:
        pool.map(work, [1, 2])
