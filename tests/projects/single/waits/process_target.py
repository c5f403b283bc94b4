import multiprocessing
import os


def work():
    import torch

    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    torch.cuda.init()


if __name__ == "__main__":
    process = multiprocessing.Process(target=work)
    process.start()
