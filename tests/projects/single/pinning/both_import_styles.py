try:
    import torch
except ImportError:
    torch = None

if torch is not None and torch.cuda.init():  # ~ missing-visible-devices warning
    print("gpu")
