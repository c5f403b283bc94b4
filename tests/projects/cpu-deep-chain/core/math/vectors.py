import torch  # ~ gpu-import-in-cpu-mode error


def add(a, b):
    return torch.add(a, b)
