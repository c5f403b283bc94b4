import os, random, sys, torch
class Box:
    def __init__(self): self.mask = ""
    def add(self, c): self.mask += ("," if self.mask else "") + c
box = Box()
for _ in range(len(sys.argv)):
    box.add("1")
os.environ["CUDA_VISIBLE_DEVICES"] = box.mask
torch.cuda.init()
