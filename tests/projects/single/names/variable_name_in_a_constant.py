import os

VAR = "CUDA_" + "VISIBLE_DEVICES"
ORDER = "CUDA_{}".format("DEVICE_ORDER")
os.environ[ORDER] = "PCI_BUS_ID"
os.environ[VAR] = "%d" % 0

import torch

torch.ones(1).cuda()
