"""Hides the cards from a tool that only counts, and then chooses."""
import os
import subprocess
import sys

environment = dict(os.environ)
environment["CUDA_VISIBLE_DEVICES"] = "0"
subprocess.run([sys.executable, "count_words.py"], env=environment, check=True)

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

if __name__ == "__main__":
    print(torch.zeros(4, device="cuda").sum())
