import copy
import os
import torch


class Plan:
    def __init__(self):
        self.cards = ["1"]


plan = Plan()
other, third = copy.copy(plan), copy.deepcopy(plan)
other.cards.append("2")
other.name = "5"
third.cards.append("3")
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(plan.cards)
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(third.cards)
