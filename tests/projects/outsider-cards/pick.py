import torch


def architecture():
    major, minor = torch.cuda.get_device_capability()
    if (major, minor) == (9, 0):
        return "Blackwell"  # ~ capability-architecture-mismatch error
    if major == 8 and minor == 6:
        return "Ampere"
    return "unknown"
