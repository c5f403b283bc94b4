def load(path, device="cuda:0"):
    """Loads a model.

    >>> import torch
    >>> torch.cuda.set_device(1)
    >>> load("x", device="cuda:1")
    """
    return path, device


print(load("x"))
