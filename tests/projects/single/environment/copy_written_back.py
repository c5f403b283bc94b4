import os

saved = dict(os.environ)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ.clear()  # ~ pin-removed warning
os.environ.update(saved)

import torch

torch.cuda.init()
