import torch


def check():
    name = torch.cuda.get_device_name(0)
    if "A100" not in name.upper():
        raise RuntimeError(f"made for the A100, not for {name}")


check()
weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices warning
