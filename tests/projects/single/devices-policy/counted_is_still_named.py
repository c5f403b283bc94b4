def load():
    import torch

    if torch.cuda.device_count() > 1:
        return torch.device("cuda:1")  # ~ device-not-allowed error
    return torch.device("cuda:0")
