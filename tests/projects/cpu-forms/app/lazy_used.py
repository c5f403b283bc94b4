lazy import torch  # ~ gpu-import-in-cpu-mode error


@torch.no_grad()
def total(values):
    return values.sum()
