import os

import torch

class Machine:
    def __init__(self):
        self.state = "idle"

    def step(self):
        handler = getattr(self, f"on_{self.state}")
        self.state = handler()

    def on_idle(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return "ready"

    def on_ready(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return "done"

machine = Machine()
while machine.state != "done":
    machine.step()
torch.cuda.init()
