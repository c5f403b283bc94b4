import os
import sys
import torch


class Plan:
    def __setattr__(self, name, value):
        os.environ["CUDA_VISIBLE_DEVICES"] = value


plan = Plan()
setattr(plan, "name" if len(sys.argv) > 1 else "card", "3")
torch.cuda.init()
