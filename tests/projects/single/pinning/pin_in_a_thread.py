import os
import threading

import torch


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


print(threading.active_count())
torch.ones(1).cuda()  # ~ missing-visible-devices warning
