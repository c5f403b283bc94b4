import os

import torch


def load(device=torch.device("cuda"), probe=torch.cuda.is_available):
    return device, probe


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
