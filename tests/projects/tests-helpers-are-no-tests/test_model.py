import torch


def build():
    return torch.ones(1).cuda()


class Helper:
    def test_like(self):
        return torch.ones(1).cuda()


def test_nothing():
    assert torch.ones(1).sum() == 1
