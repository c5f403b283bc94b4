"""No guard: the command that is installed calls `main`."""

import os

import torch


def prepare():
    torch.cuda.init()


def main():
    prepare()
    pin()


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
