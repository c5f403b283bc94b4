import os


class Settings:
    __slots__ = ("mask",)


settings = Settings()
setattr(settings, "mask", "0")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = settings.mask

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
