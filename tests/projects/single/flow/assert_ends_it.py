import os

import torch

assert os.environ.get("CUDA_VISIBLE_DEVICES") == "0", "choose the card in the shell"
assert os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
torch.cuda.init()
