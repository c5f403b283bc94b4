import os

import torch

steps = []
steps.append(lambda: os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID"))
steps.append(lambda: torch.cuda.init())  # ~ missing-visible-devices warning
for step in steps:
    step()
