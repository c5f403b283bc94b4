"""What every script of the project asks about the card."""


def require_big_card():
    import torch

    name = torch.cuda.get_device_name(0)
    memory = torch.cuda.get_device_properties(0).total_memory
    if "RTX 3090" not in name or memory < 20 * 1024**3:
        raise RuntimeError(f"wrong card: {name}")
