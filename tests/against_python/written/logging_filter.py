import os
import torch
import logging
class GpuFilter(logging.Filter):
    def filter(self, r):
        torch.cuda.init()
        return True
h = logging.StreamHandler()
h.addFilter(GpuFilter())
logging.getLogger().addHandler(h)
logging.getLogger(__name__).error("x")
