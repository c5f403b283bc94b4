import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch


def test_epoch(model, loader):
    for batch in loader:
        model(batch.to("cuda"))


def test_card():  # ~ gpu-test-without-cleanup note
    torch.ones(2).to("cuda")


test_epoch(torch.nn.Linear(2, 2), [torch.ones(2)])
test_card()
