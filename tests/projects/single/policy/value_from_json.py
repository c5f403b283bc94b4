import json
import os

with open("config.json") as handle:
    config = json.load(handle)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(config["gpu"])

import torch

torch.cuda.init()
