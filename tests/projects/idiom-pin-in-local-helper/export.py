"""Exports the model; the helper that chooses the card is there, and nobody calls it."""
import os


def _setup():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


_ROOT = _setup

import torch  # ~ missing-visible-devices error, missing-device-order error

from speech.model import Narrator


def main():
    torch.save(Narrator().cuda().state_dict(), "narrator.pt")


if __name__ == "__main__":
    main()
