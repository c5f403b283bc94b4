import os, sys, torch

class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent = value, parent

node = Node("3", Node("2", Node("1", Node("0", Node("00")))))
for _ in range(len(sys.argv) + 1):
    node = node.parent
os.environ["CUDA_VISIBLE_DEVICES"] = node.value
torch.cuda.init()
