import torch


def ensure(expected):
    name = torch.cuda.get_device_name(0)
    if expected not in name:
        raise SystemExit(f"wrong card: {name}")
