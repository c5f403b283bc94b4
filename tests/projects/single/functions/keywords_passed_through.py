import os


def put(**settings):
    for name, value in settings.items():
        os.environ[name] = value


def pin(**more):
    put(CUDA_DEVICE_ORDER="PCI_BUS_ID", **more)


pin(CUDA_VISIBLE_DEVICES="0")

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
