import torch


class Model:
    def __init__(self, device):
        self.device = torch.device(device)
        self.net = torch.nn.Linear(4, 4).to(self.device)

    def run(self):
        return self.net(torch.zeros(1, 4, device=self.device)).cpu().numpy()
