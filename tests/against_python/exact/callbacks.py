import os

import torch

class Trainer:
    def __init__(self):
        self.hooks = {"before": [], "after": []}

    def on(self, when):
        def add(function):
            self.hooks[when].append(function)
            return function
        return add

    def run(self):
        for hook in self.hooks["before"]:
            hook(self)
        torch.cuda.init()
        for hook in self.hooks["after"]:
            hook(self)

trainer = Trainer()

@trainer.on("before")
def pin(t):
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

@trainer.on("after")
def late(t):
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"

trainer.run()
