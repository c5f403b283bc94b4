import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default="0")
parser.add_argument("--device", default="cuda:0", choices=["cuda:0", "cpu"])
args = parser.parse_args()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu

import torch

torch.zeros(1, device=args.device)
