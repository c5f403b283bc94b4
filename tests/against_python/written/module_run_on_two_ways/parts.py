import torch

import settings


class Part:
    kind = settings.place

    def __init__(self):
        self.place = settings.place

    def start(self):
        torch.cuda.init()


part = Part()


def place(place=settings.place):
    return place
