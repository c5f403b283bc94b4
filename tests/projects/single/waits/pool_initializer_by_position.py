import os
from concurrent.futures import ProcessPoolExecutor


def start(mask):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = mask


def work(index):
    import torch

    torch.cuda.set_device(1)  # ~ device-outside-mask error
    return index


if __name__ == "__main__":
    with ProcessPoolExecutor(2, None, start, ("0",)) as pool:
        pool.submit(work, 1)
