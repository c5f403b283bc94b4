import os




import torch

def f(): return torch.cuda.is_available()  # ~ missing-visible-devices warning


f() ; print(1)
