import json
import os

try:
    settings = json.load(open("settings.json"))
    os.environ["CUDA_VISIBLE_DEVICES"] = settings["mask"]
except OSError:
    pass
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()
