import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if False:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
