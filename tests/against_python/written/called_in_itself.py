import os
import torch


class Table(dict):
    def __init__(self, values=None):
        for name, value in (values or {}).items():
            self[name] = Table(value) if isinstance(value, dict) else value


def deepest(values, depth):
    if depth == 0:
        return values
    return deepest(values["in"], depth - 1)


table = Table({"in": {"card": "1", "in": {"card": "2"}}})
os.environ["CUDA_VISIBLE_DEVICES"] = deepest(table, 1)["card"]
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = deepest(table, 2)["card"]
torch.cuda.init()


def nest(level):
    if level:
        nest(level - 1)
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = "3"


def around():
    nest(1)


nest(2)
around()
