import os


def main():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    import torch

    torch.ones(2).cuda()


if __name__ == "__main__":
    main()
