"""The override stands in a context manager that is never left before the card is used."""
import contextlib
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ |= {"CUDA_VISIBLE_DEVICES": "1"}


@contextlib.contextmanager
def card(index):
    os.environ["CUDA_VISIBLE_DEVICES"] = index  # ~ wrong-visible-devices error, conflicting-pins error
    yield


with card("0"):
    import torch

    print(torch.zeros(4, device="cuda").sum())
