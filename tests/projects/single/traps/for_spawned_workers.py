import multiprocessing
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"

import torch


def work():
    torch.ones(1).cuda()


if __name__ == "__main__":
    print(torch.cuda.get_device_name(0))
    context = multiprocessing.get_context("spawn")
    for index in range(2):
        os.environ["CUDA_VISIBLE_DEVICES"] = str(index)
        context.Process(target=work).start()
