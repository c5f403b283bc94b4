import os
from functools import cached_property


class Session:
    @cached_property
    def device(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note

        import torch

        return torch.device("cuda:0")


session = Session()
import torch

torch.zeros(1, device=session.device)
