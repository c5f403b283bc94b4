import os
import torch
def go(self):
    torch.cuda.init()
K = type("K", (object,), {"go": go})
K().go()
