import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from voice.options import Layout, Options, filled, parsed

LAYOUT = dict(encoder_device="cuda:1", rate=16000)  # ~ device-outside-mask error

if __name__ == "__main__":
    print(Options(), Layout(), parsed(), filled())
    index = 1
    torch.zeros(4, device=f"cuda:{index}")  # ~ device-outside-mask error
