import os

class Outer:
    class Inner:
        @staticmethod
        def pin():
            os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"


Outer.Inner.pin()

import torch

torch.ones(1).cuda()
