try:
    import torch

    def name():
        return torch.cuda.get_device_name(0)
except ImportError:
    def name():
        return None
