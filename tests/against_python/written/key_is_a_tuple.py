import os
import torch

STEPS = {("idle", "start"): "running", ("running", "stop"): "idle"}


class Machine:
    state = "idle"

    def on(self, event):
        self.state = STEPS.get((self.state, event), self.state)
        step = getattr(self, "on_" + self.state, None)
        if step:
            step()

    def on_running(self):
        torch.cuda.init()


machine = Machine()
machine.on("start")
machine.on("none")
os.environ["CUDA_VISIBLE_DEVICES"] = machine.state
