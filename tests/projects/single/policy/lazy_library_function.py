def embed(text):
    import torch

    return torch.ones(len(text), device="cuda")
