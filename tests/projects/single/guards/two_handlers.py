try:
    import torch

    name = torch.cuda.get_device_name(0)
except ImportError:
    name = "no torch"
except (AssertionError, RuntimeError):
    name = "no GPU"
