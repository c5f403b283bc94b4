import os
import torch


class Plan:
    card = "0"


plan = Plan()
plan.card = "1"
delattr(plan, "card")
os.environ["CUDA_VISIBLE_DEVICES"] = plan.card
torch.cuda.init()
