import os
import torch
import warnings
def show(*a, **k):
    torch.cuda.init()
warnings.showwarning = show
warnings.simplefilter("always")
warnings.warn("x")
