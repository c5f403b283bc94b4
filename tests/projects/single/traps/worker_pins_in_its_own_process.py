import multiprocessing
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"


def work(index):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(index)
    import torch

    torch.ones(1).cuda()


if __name__ == "__main__":
    import torch

    print(torch.cuda.get_device_name(0))
    context = multiprocessing.get_context("spawn")
    for index in range(2):
        context.Process(target=work, args=(index,)).start()
