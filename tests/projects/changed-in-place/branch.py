"""A list that one arm of a branch changed holds either."""

import os
import sys

cards = ["0"]
kept = cards
if len(sys.argv) > 1:
    kept.append("1")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cards)

import torch

torch.zeros(1, device="cuda:1")  # ~ device-not-allowed warning
