import os
import torch


class Plan:
    card = "0"


plan = Plan()
plan.__dict__.update(card="1")
os.environ["CUDA_VISIBLE_DEVICES"] = plan.card
torch.cuda.init()
