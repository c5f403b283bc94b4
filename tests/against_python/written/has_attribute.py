import os

import torch


class Options:
    order = None

    def __init__(self):
        self.card = "1"


options = Options()
if hasattr(options, "card") and hasattr(options, "order"):
    os.environ["CUDA_VISIBLE_DEVICES"] = options.card
if hasattr(options, "other"):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
torch.zeros(1).cuda()
