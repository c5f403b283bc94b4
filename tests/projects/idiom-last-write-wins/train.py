"""Chooses the right card, and another one later."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from app.sound import seconds_of

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ wrong-visible-devices error, conflicting-pins error

import torch

from app.model import Narrator

if __name__ == "__main__":
    print(seconds_of("voice.wav"), Narrator().cuda()(torch.zeros(1, 80).cuda()))
