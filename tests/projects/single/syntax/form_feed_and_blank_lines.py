import os




import torch

def f(): return torch.cuda.init()  # ~ missing-visible-devices warning


f() ; print(1)
