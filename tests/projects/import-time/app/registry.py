import torch

KINDS = {}


def register(name):
    def wrap(function):
        KINDS[name] = function
        return function

    return wrap


@register("first")
def first():
    return torch.cuda.is_available()


class Cache:
    def __init__(self):
        self.entries = {}

    def fill(self):
        self.entries["zero"] = torch.zeros(1, device="cuda")


cache = Cache()
COUNT = property(lambda self: torch.cuda.device_count())
