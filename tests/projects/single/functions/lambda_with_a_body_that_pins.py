import os

pin = lambda mask="0": os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES=mask)
pin()

import torch

torch.cuda.init()
