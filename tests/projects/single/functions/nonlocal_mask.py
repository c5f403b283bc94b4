import os


def main():
    mask = "1"

    def choose():
        nonlocal mask
        mask = "0,1"

    choose()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = mask

    import torch

    torch.zeros(1, device="cuda:1")


main()
