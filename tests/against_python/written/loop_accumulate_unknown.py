import os, random, sys, torch
cards = []
for at in range(4):
    if len(sys.argv) > at:
        cards.append(str(at))
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cards)
if cards:
    torch.cuda.init()
