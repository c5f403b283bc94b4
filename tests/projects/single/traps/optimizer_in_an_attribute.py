import torch


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(2, 2)
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def fit(self):
        self.optimizer.step()  # ~ missing-visible-devices warning


Trainer().fit()
