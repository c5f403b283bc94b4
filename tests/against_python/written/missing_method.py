import os
import torch


class Plan:
    def choose(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


def select(plan):
    try:
        plan.pick()
    except AttributeError:
        plan.choose()
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = "3"


select(Plan())
torch.cuda.init()
