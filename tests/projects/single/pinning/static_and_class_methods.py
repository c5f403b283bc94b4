import os


class Env:
    @staticmethod
    def order():
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

    @classmethod
    def pin(cls):
        cls.order()
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


Env.pin()

import torch

torch.ones(2).cuda()
