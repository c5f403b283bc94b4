"""Use cuda:1 for the second card."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import re

import torch

PATTERNS = [re.compile(r"cuda:\d"), "cuda:1", "gpu:1"]
FORBIDDEN = {"cuda:1", "cuda:2"}


def check(text):
    if text == "cuda:1" or text in FORBIDDEN:
        raise ValueError("cuda:1 is not allowed here")
    return text.replace("cuda:1", "cuda:0")


for index in range(torch.cuda.device_count()):
    print(index, torch.cuda.get_device_name(index))
model = torch.nn.Linear(2, 2).to("cuda")
