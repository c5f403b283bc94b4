import os

import torch


class First:
    def run(self):
        torch.cuda.init()


class Second(First):
    def run(self):
        torch.cuda.current_device()


class Third(Second):
    def run(self):
        super(Second, self).run()
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        super(Third, self).run()


Third().run()
super(Second, Second()).run()
