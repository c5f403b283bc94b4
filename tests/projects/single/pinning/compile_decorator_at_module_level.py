import os

import torch


@torch.compile
@torch.no_grad()
def forward(model, batch):
    return model(batch)


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
