import functools
import os
import types
import torch


def put(variable, value):
    os.environ[variable] = value


def first(device, mask="1"):
    put("CUDA_VISIBLE_DEVICES", mask)
    return device


class Card:
    choose = first
    plain = staticmethod(first)
    made = classmethod(first)
    part = functools.partialmethod(first, mask="2")
    of_lambda = lambda self, mask: put("CUDA_DEVICE_ORDER", mask)

    def kept(self, *rest, order, **more):
        put("CUDA_DEVICE_ORDER", order)

    def positional(self, mask, /, **more):
        put("CUDA_VISIBLE_DEVICES", more["mask"])


def repeat(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for _ in range(times):
                function("CUDA_VISIBLE_DEVICES", *args, **kwargs)
        return wrapper
    return decorate


@repeat(2)
def write(variable, value):
    put(variable, value)


card = Card()
try:
    card.choose()
    card.plain(card)
    card.made()
    card.part()
    card.of_lambda("FASTEST_FIRST")
    card.kept(1, 2, order="PCI_BUS_ID", other=3)
    card.positional("1", mask="3")
    write("4")
    card.own = first
    card.own("0", mask="5")
    bound = types.MethodType(first, card)
    bound("6")
    functools.partial(put, "CUDA_VISIBLE_DEVICES")("7")
    functools.partial(first, mask="8")("0")
    Card.choose(card, "9")
    torch.cuda.init()
except TypeError:
    torch.cuda.current_device()
