import torch


def free():
    torch.cuda.clear_cache()  # ~ nonexistent-gpu-api error


def vendor():
    if hasattr(torch, "hip") and torch.hip.is_available():  # ~ rocm-never-detected warning
        return "amd"
    return "nvidia"


def memory():
    return torch.cuda.get_device_properties(0).total_mem  # ~ nonexistent-gpu-api error


torch.set_float32_matmul_precision("tf32")  # ~ unknown-matmul-precision error
