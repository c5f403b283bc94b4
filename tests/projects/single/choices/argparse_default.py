import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:1", help="cuda:0 or cuda:1")
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--log", default="cuda:1 is the second card")
args = parser.parse_args()
print(args.device, torch.__version__)
