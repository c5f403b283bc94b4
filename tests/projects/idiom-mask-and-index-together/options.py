import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import argparse

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default=1)
    parser.add_argument("--device", default="cuda:1")  # ~ device-outside-mask error
    options = parser.parse_args()
    torch.zeros(4, device=options.device)


if __name__ == "__main__":
    main()
