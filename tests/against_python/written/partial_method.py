import os

import torch


class Base:
    def pin(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


class Card(Base):
    if os.path.exists("marker"):

        def pin(self):
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"


Card().pin()
card = Base()
if os.path.exists("marker"):
    card.pin = lambda: os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID")
card.pin()
torch.zeros(1).cuda()
