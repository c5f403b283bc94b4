import os
import torch


class Plan:
    def __init__(self):
        self.cards = "1"


plan = Plan()
try:
    print(plan.crads)
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except AttributeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
