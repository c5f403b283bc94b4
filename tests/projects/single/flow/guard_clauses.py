import os
import sys


def main():
    if "--help" in sys.argv:
        print("help")
        return 0
    if "--version" in sys.argv:
        print("1.0")
        return 0
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    import torch

    torch.cuda.init()
    return 0


if __name__ == "__main__":
    sys.exit(main())
