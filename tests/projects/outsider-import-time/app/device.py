import torch

HAS_GPU = torch.cuda.is_available()  # ~ cuda-query-at-import note
BUFFER = torch.zeros(16, device="cuda")  # ~ gpu-object-at-import warning


def current(device=torch.cuda.current_device()):  # ~ cuda-call-in-default-argument warning
    return device
