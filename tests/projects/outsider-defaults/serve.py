import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import argparse
from dataclasses import dataclass

import torch


@dataclass
class Options:
    device: str = "cuda:1"  # ~ device-outside-mask error


def load(path, device="cuda:2"):  # ~ device-outside-mask error
    return torch.load(path, map_location=device)


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:1")  # ~ device-outside-mask error
args = parser.parse_args()
config = {"tts_device": "cuda:1"}  # ~ device-outside-mask error
model = torch.nn.Linear(2, 2).to(args.device)
