import os

env = os.environ
env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
env["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.synchronize()
