import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch


def test_size(size):  # ~ gpu-test-without-cleanup note
    torch.ones(size).to("cuda")


test_size(4)
