import os

import torch


class Card:
    @property
    def name(self):
        return torch.cuda.get_device_name(0)


print(Card.name)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.cuda.init()
