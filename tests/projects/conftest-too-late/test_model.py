import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error

import torch


def test_model():  # ~ gpu-test-without-cleanup note
    torch.ones(1).cuda()
