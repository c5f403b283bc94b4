import os
import sys
import torch


class Plan:
    pass


plan = Plan()
setattr(plan, "name" if len(sys.argv) > 1 else "card", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = getattr(plan, "card", "2")
torch.cuda.init()
