import os

os.environ.get("CUDA_VISIBLE_DEVICES") or os.environ.update(CUDA_VISIBLE_DEVICES="0")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()
