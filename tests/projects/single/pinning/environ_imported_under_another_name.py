from os import environ as env

env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
env["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.synchronize()
