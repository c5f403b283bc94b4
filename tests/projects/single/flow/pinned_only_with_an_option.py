import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--gpu")
args = parser.parse_args()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if args.gpu:
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu

import torch

torch.cuda.init()  # ~ missing-visible-devices note
