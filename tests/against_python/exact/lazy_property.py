import os

import torch

class Lazy:
    @property
    def device(self):
        if not hasattr(self, "_device"):
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            self._device = "cuda"
        return self._device

lazy = Lazy()
lazy.device
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
lazy.device
torch.cuda.init()
