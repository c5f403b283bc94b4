import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default=None)
args = parser.parse_args()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu if args.gpu is not None else ""

import torch

print(torch.cuda.is_available())
