import os
import torch
class Node:
    def __init__(self, v, *kids): self.v, self.kids = v, kids
    def walk(self):
        yield self.v
        for k in self.kids:
            yield from k.walk()
t = Node("1", Node("2", Node("3")), Node("4"))
for v in t.walk():
    os.environ["CUDA_VISIBLE_DEVICES"] = v
if sum(1 for _ in t.walk()) == 4: torch.cuda.init()
