"""Chooses, and gives others a clean slate."""
import os


def choose(card="1"):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = card


def forget():
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
