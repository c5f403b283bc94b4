import os

environ = getattr(os, "environ")
environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
