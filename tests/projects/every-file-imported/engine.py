import torch  # ~ missing-visible-devices error, missing-device-order error


def start():
    return torch.ones(1, device="cuda:0")
