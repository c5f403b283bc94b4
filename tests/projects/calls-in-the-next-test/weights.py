import torch

torch.cuda.current_device()  # ~ cuda-query-at-import note


def read(path):
    return torch.load(path, map_location="cuda")


def restore(path, shard):
    if shard > 8:
        return None
    return read(path)
