import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # ~ cuda-query-at-import note


def build():
    return torch.nn.Linear(4, 4).to(DEVICE)
