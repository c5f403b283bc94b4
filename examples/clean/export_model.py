"""Writes the voice model as TorchScript."""

import os
import pathlib


def _prepare():
    """Chooses the card and returns the folder that exports go to."""
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    return pathlib.Path(__file__).resolve().parent / "exports"


EXPORTS = _prepare()

import torch


def main():
    EXPORTS.mkdir(exist_ok=True)
    model = torch.nn.Linear(80, 80).to("cuda:0").eval()
    traced = torch.jit.trace(model, torch.zeros(1, 80, device="cuda:0"))
    traced.save(str(EXPORTS / "voice.pt"))


if __name__ == "__main__":
    main()
