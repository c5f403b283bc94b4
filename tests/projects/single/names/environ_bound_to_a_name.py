from os import environ as env

put = env.__setitem__
put("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
put("CUDA_VISIBLE_DEVICES", "0")

import torch

torch.cuda.init()
