try:
    import torch
except ImportError:
    torch = None

print("torch" if torch is not None else "no torch")
