"""Chooses and forgets."""
import os


def choose():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


def forget():
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)  # ~ pin-removed warning
