import os

import torch


class Hooks:
    def __init__(self):
        self.hooks = []

    def add(self, hook):
        self.hooks.append(hook)
        return lambda: self.hooks.remove(hook)

    def fire(self, card):
        for hook in list(self.hooks):
            hook(card)


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card


def use(card):
    torch.cuda.init()


hooks = Hooks()
hooks.add(choose)
remove = hooks.add(use)
remove()
hooks.fire("1")
if use in hooks.hooks:
    torch.cuda.current_device()
