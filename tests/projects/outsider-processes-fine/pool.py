import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import multiprocessing as mp

import torch


def work(index):
    return torch.zeros(index + 1, device="cuda").sum().item()


if __name__ == "__main__":
    print(torch.cuda.get_device_name(0))
    with mp.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, range(4)))
