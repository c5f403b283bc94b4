import torch


def load():
    return torch.ones(2).cuda()


class Engine:
    def __init__(self):
        self.device = torch.cuda.current_device()
