import os


def put(name, value, seen=[]):
    seen.append(name)
    os.environ[name] = value
    return seen


put("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
put("CUDA_VISIBLE_DEVICES", "0")

import torch

torch.cuda.init()
