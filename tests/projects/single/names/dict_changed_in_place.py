import os

settings = {"mask": "1"}
settings.update(mask="0")
settings.setdefault("order", "PCI_BUS_ID")
settings["unused"] = 3
settings.pop("unused")
os.environ["CUDA_DEVICE_ORDER"] = settings["order"]
os.environ["CUDA_VISIBLE_DEVICES"] = settings["mask"]

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
