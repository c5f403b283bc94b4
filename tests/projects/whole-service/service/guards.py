import torch


def ensure_card():
    if torch.cuda.get_device_name(0) != "RTX 3090":
        raise SystemExit("another card")
