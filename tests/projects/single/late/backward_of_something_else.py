import os


class History:
    def backward(self):
        return None


History().backward()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.ones(1).cuda()
