import os

env = getattr(os, "environ")
env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
env["CUDA_VISIBLE_DEVICES"] = "1"

import torch

torch.ones(1).cuda()
