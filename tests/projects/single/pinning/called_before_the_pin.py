import os


def device():
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


print(device())
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
