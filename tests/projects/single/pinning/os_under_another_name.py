import os as _os

_os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
_os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.synchronize()
