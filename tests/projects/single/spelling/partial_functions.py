import functools
import os


def set_variable(name, value="0"):
    os.environ[name] = value


set_order = functools.partial(set_variable, "CUDA_DEVICE_ORDER")
set_order("PCI_BUS_ID")
set_second = functools.partial(set_variable, value="1")
set_second("CUDA_VISIBLE_DEVICES")

import torch

torch.zeros(1, device="cuda:0")
