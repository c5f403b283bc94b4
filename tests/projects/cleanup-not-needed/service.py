import torch


class Engine:
    def load(self):
        self.model = torch.nn.Linear(2, 2).cuda()
        return self


def load(name):
    return torch.load(name, map_location="cuda")
