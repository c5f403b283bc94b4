import os


def main():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    import torch

    torch.ones(2).cuda()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
