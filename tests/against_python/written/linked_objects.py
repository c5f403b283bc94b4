import os

import torch

class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent = value, parent

    def root(self):
        node = self
        while node.parent:
            node = node.parent
        return node

leaf = Node("2", Node("1", Node("0")))
os.environ["CUDA_VISIBLE_DEVICES"] = leaf.root().value
torch.cuda.init()
