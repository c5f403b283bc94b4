"""Transcribes; the helper is a method of a small class."""
import os


class Setup:
    def __init__(self, card):
        self.card = card
        self.apply()

    def apply(self):
        os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES=self.card)


_SETUP = Setup("1")

import torch

if __name__ == "__main__":
    print(torch.zeros(2, device="cuda").sum())
