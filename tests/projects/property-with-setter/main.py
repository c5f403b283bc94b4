import os

import torch
from cards import Cards

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
cards = Cards()
if cards.chosen is not None:
    # Nothing was chosen yet.
    torch.cuda.set_device(int(cards.chosen))
torch.cuda.init()
cards.chosen = "1"  # ~ pin-after-cuda-init error
if cards.chosen != "1":
    torch.cuda.set_device(7)
