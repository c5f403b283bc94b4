import argparse
import os

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="0")
    args = parser.parse_args()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu  # ~ pin-after-cuda-init error
    torch.ones(2, device=DEVICE)


if __name__ == "__main__":
    main()
