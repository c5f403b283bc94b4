import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
if args.gpu:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

device = "cuda" if args.gpu else "cpu"
model = torch.nn.Linear(1, 1).to(device)
if args.gpu:
    torch.cuda.synchronize()
