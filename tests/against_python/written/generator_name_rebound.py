import os
import torch
CARD = "0"
def cards():
    global CARD
    try:
        yield CARD
    finally:
        CARD = "1"
for turn in range(2):
    source = cards()
    first = next(source)
os.environ["CUDA_VISIBLE_DEVICES"] = CARD
torch.cuda.init()
