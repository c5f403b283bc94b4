import torch

from service.guards import ensure_card


class Engine:
    def __init__(self, device="cuda:0"):
        ensure_card()
        self.model = torch.nn.Linear(2, 2).to(device)


def second():
    return Engine(device="cuda:1")  # ~ device-not-allowed error
