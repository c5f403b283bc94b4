import torch


def names():
    found = []
    for i in range(torch.cuda.device_count()):
        found.append(torch.cuda.get_device_name(i))
        torch.zeros(1, device=f"cuda:{i}")
    return found
