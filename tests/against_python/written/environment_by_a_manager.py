import os

import torch

class Env:
    def __init__(self, **values):
        self.values = values

    def __enter__(self):
        self.old = {k: os.environ.get(k) for k in self.values}
        os.environ.update(self.values)
        return self

    def __exit__(self, kind, value, trace):
        for k, v in self.old.items():
            if v is None:
                os.environ.pop(k, None)
            else:
                os.environ[k] = v
        return kind is KeyError

with Env(CUDA_VISIBLE_DEVICES="1"):
    with Env(CUDA_VISIBLE_DEVICES="2", CUDA_DEVICE_ORDER="PCI_BUS_ID"):
        {}["a"]
    torch.cuda.init()
