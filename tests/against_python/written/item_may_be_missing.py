import json
import os

import torch

settings = json.loads('{"mask": "1"}')
try:
    os.environ["CUDA_VISIBLE_DEVICES"] = settings["cards"]
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
except KeyError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
try:
    settings.pop("order")
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
except LookupError:
    pass
cards = {"first": "2"}
try:
    cards.pop("second")
    os.environ["CUDA_VISIBLE_DEVICES"] = "4"
except KeyError:
    pass
torch.zeros(1, device="cuda")
