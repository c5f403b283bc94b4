import os
import torch
def safe():
    while True:
        try:
            x = yield
            os.environ["CUDA_VISIBLE_DEVICES"] = x
        except ValueError as e:
            os.environ["CUDA_VISIBLE_DEVICES"] = "bad"
g = safe()
g.send(None)
g.send("1")
torch.cuda.init()
g.throw(ValueError("no"))
torch.cuda.init()
