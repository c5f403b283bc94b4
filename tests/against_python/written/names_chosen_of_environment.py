import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for name in [name for name in os.environ if name.endswith("_DEVICES")]:
    del os.environ[name]
torch.cuda.init()
