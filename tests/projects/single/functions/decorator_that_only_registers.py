import os

HANDLERS = {}


def register(name):
    def keep(function):
        HANDLERS[name] = function
        return function

    return keep


@register("pin")
def pin():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


import torch

torch.cuda.init()  # ~ missing-visible-devices warning
