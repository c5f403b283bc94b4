import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,2"

import torch
import torch.multiprocessing as mp


def worker(rank):
    torch.cuda.set_device(rank)
    torch.zeros(1, device="cuda")


if __name__ == "__main__":
    mp.set_start_method("spawn")
    for rank in range(3):  # ~ ranks-beyond-mask error
        mp.Process(target=worker, args=(rank,)).start()
