"""A context manager that puts back what was there, before the card is used."""
import contextlib
import os
import subprocess

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ |= {"CUDA_VISIBLE_DEVICES": "1"}


@contextlib.contextmanager
def without_cards():
    before = os.environ["CUDA_VISIBLE_DEVICES"]
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    try:
        yield
    finally:
        os.environ["CUDA_VISIBLE_DEVICES"] = before


with without_cards():
    subprocess.run(["wc", "-w", "text.txt"], check=True)

import torch

print(torch.zeros(4, device="cuda").sum())
