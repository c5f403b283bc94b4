import os
from unittest import mock

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "0"}):  # ~ pin-after-gpu-import note
    print(os.environ["CUDA_VISIBLE_DEVICES"])
torch.cuda.init()  # ~ missing-visible-devices warning
