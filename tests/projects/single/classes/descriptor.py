import os

import torch


class Device:
    def __get__(self, owner, kind=None):
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model:
    device = Device()


model = Model()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
print(model.device)
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
