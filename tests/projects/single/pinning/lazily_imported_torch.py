import os


def device():
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
print(device())
