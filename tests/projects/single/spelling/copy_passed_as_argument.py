import os

def pin(env):
    env["CUDA_VISIBLE_DEVICES"] = "1"
    return env


child = pin(dict(os.environ))
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
