"""Transcribes; its own helper forgets the order of the cards."""
import os


class Setup:
    def __init__(self, card):
        os.environ["CUDA_VISIBLE_DEVICES"] = card  # ~ missing-device-order error


_SETUP = Setup("1")

import torch

if __name__ == "__main__":
    print(torch.zeros(2, device="cuda").sum())
