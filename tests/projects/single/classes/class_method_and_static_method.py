import os


class Gpu:
    MASK = "0"

    @classmethod
    def pin(cls):
        cls.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
        cls.put("CUDA_VISIBLE_DEVICES", cls.MASK)

    @staticmethod
    def put(name, value):
        os.environ[name] = value


class Other(Gpu):
    MASK = "0,1"


Other.pin()

import torch

torch.cuda.set_device(1)
torch.cuda.set_device(2)  # ~ device-outside-mask error
