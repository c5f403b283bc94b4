lazy import torch  # ~ gpu-import-in-cpu-mode error, lazy-import-misuse warning


@torch.no_grad()
def total(values):
    return values.sum()
