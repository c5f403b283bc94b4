import os
import sys
import torch


class Plan:
    card = "0"


plan = Plan()
setattr(plan, "card" if len(sys.argv) > 1 else "name", "1")
setattr(plan, os.environ.get("MODE", "card"), "2")
os.environ["CUDA_VISIBLE_DEVICES"] = plan.card
torch.cuda.init()
