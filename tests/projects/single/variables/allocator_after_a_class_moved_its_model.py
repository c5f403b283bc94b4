import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(8, 8).cuda()

    def save_memory(self):
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"  # ~ alloc-conf-too-late warning


Trainer().save_memory()
