import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch


class Synthesizer:
    def __init__(self, device="cuda:1"):  # ~ device-outside-mask error
        self.device = torch.device(device)


Synthesizer(device="cuda:0")
