import argparse
import os


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="0")
    return parser.parse_args()


args = parse()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu

import torch  # noqa: E402


def main():
    model = torch.nn.Linear(2, 2).cuda()
    for _ in range(3):
        model(torch.ones(2, device="cuda")).sum().backward()


if __name__ == "__main__":
    main()
