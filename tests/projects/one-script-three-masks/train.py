"""Started with three masks: what it does is the same each time, but only the first leaves enough cards for it."""

import atexit

import torch


def report(model):
    print(torch.cuda.memory_allocated(2), model)  # ~ device-outside-mask error


def model_on(index):
    model = torch.nn.Linear(4, 4).to(torch.device("cuda", index))  # ~ device-outside-mask error
    atexit.register(report, model)
    return model


first = model_on(0)
second = model_on(1)
