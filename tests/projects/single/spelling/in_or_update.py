import os

"CUDA_VISIBLE_DEVICES" in os.environ or os.environ.update(CUDA_VISIBLE_DEVICES="1")
os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")

import torch

torch.ones(1).cuda()
