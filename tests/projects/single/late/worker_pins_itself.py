import os
from multiprocessing import Process


def worker(gpu):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
    import torch

    torch.ones(1).cuda()


if __name__ == "__main__":
    for gpu in range(2):
        Process(target=worker, args=(gpu,)).start()
