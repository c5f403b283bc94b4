import os
import sys

import torch


def cards():
    if len(sys.argv) > 1:
        return
    yield "0"


def some():
    for card in ("1", "2"):
        if os.path.exists("marker"):
            break
        yield card


for card in cards():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for card in some():
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.zeros(1).cuda()
