import torch


def load_model(name):
    return torch.nn.Linear(2, 2).cuda()


class Engine:
    def __init__(self, name):
        self.model = load_model(name)

    def warm_up(self):
        torch.cuda.synchronize()


class Plain:
    def __init__(self):
        self.ready = False

    def start(self):
        self.prepare()

    def prepare(self):
        torch.cuda.synchronize()


class Base:
    def __init__(self, net):
        self.net = net

    def start(self):
        self._move()

    def _move(self):
        self.net.to("cuda")


class Mover(Base):
    pass


class NetOnCard(torch.nn.Module):
    def prepare(self):
        self.to("cuda")
