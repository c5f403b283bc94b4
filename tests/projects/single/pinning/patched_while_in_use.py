import os
from unittest import mock

with mock.patch.dict(os.environ, {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"}):
    import torch

    torch.cuda.init()
