import collections
import os
import torch


class Card:
    number = 1


class Ordered(Card):
    def __lt__(self, other):
        return True

    def __floordiv__(self, other):
        return "0"


class Later(Ordered):
    def __rfloordiv__(self, other):
        return "1"


def tried(function):
    try:
        function()
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    except Exception:
        return True
    return False


if tried(lambda: Card.other) and tried(lambda: Card() + 1) and tried(lambda: Card() < Card()) and tried(lambda: Card()[0]):
    torch.cuda.init()
if tried(lambda: len(Card())) and tried(lambda: Card()()) and tried(lambda: list(Card())):
    os.environ["CUDA_VISIBLE_DEVICES"] = Ordered() // Later()
os.environ["CUDA_DEVICE_ORDER"] = str(collections.OrderedDict(a=1)) + f"{'a'!a}"
torch.cuda.init()
