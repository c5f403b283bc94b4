import os
import torch
import sys, a
getattr(sys.modules["a"], "go")()
getattr(sys.modules[__name__], "here", torch.cuda.is_available)()
def here(): torch.cuda.current_device()
globals()["here"]()
