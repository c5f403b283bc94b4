"""Compares the voice model with and without half precision."""

import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch


def choose_card():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


def load_model():
    return torch.nn.Linear(80, 80).cuda().eval()


def main():
    model = load_model()
    choose_card()
    batch = torch.randn(64, 80, device="cuda:0")
    with torch.inference_mode():
        exact = model(batch)
        rounded = model.half()(batch.half())
    print(f"largest difference {(exact - rounded).abs().max().item():.5f}")


if __name__ == "__main__":
    main()
