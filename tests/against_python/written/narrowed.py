import os
import torch


class Plan:
    def __init__(self, card):
        self.card = card


def card_of(plan):
    if plan is None:
        plan = Plan("1")
    elif isinstance(plan, dict):
        plan = Plan(plan["card"])
    elif isinstance(plan, str):
        return plan
    return plan.card


plan = None
if os.environ.get("MODE"):
    plan = {"card": "2"}
elif os.environ.get("LEVEL"):
    plan = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = card_of(plan)
torch.cuda.init()
if plan is not None and not isinstance(plan, str):
    os.environ["CUDA_VISIBLE_DEVICES"] = plan["card"]
    torch.cuda.init()
if plan is None:
    plan = "4"
if plan != "3":
    os.environ["CUDA_VISIBLE_DEVICES"] = "5" if plan == "4" else "6"
