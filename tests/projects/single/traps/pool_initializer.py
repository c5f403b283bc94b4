import os
from concurrent.futures import ProcessPoolExecutor


def start(gpu):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu


def work(n):
    import torch

    return torch.ones(n).cuda().sum().item()


if __name__ == "__main__":
    with ProcessPoolExecutor(initializer=start, initargs=("0",)) as pool:
        print(list(pool.map(work, [1, 2])))
