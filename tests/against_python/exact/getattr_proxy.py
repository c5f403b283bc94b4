import os

import torch

class Proxy:
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)

class Settings:
    card = "1"

    def mask(self):
        return self.card + ",2"

os.environ["CUDA_VISIBLE_DEVICES"] = Proxy(Proxy(Settings())).mask()
torch.cuda.init()
