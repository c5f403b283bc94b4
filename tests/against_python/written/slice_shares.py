import os
import torch

plans = [{"card": "0"}, {"card": "1"}]
first = plans[:1]
for plan in first:
    plan["card"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = plans[0]["card"]
torch.cuda.init()
