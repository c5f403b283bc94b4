import importlib.util

import torch


def backends():
    found = {"rocm": hasattr(torch, "hip")}  # ~ rocm-never-detected warning
    found["spec"] = importlib.util.find_spec("torch.hip") is not None  # ~ rocm-never-detected warning
    found["right"] = torch.version.hip is not None and torch.cuda.is_available()
    found["mps"] = hasattr(torch.backends, "mps") and torch.backends.mps.is_available()
    if torch.cuda.is_available():
        found["name"] = "AMD" if torch.version.hip else "NVIDIA"
    elif getattr(torch.version, "hip", None):  # ~ rocm-never-detected warning
        found["name"] = "AMD"
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        found["name"] = "Intel"
    return found
