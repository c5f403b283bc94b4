import os

WANTED = {"device_order": "PCI_BUS_ID", "visible_devices": "0"}
os.environ.update({f"CUDA_{name.upper()}": value for name, value in WANTED.items()})

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
