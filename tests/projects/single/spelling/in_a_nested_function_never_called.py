import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


def outer():
    def pin():
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"

    return None


outer()

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
