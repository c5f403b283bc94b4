import os
import torch


class Runner:
    def run(self, name):
        step = getattr(self, f"cmd_{name}", None)
        if step is None:
            os.environ["CUDA_VISIBLE_DEVICES"] = "none"
        else:
            step()


runner = Runner()
runner.cmd_more = lambda: os.environ.update(CUDA_VISIBLE_DEVICES="7")
runner.run("more")
torch.cuda.init()
runner.run("other")
