import os, torch, random
class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent = value, parent
    def root(self):
        node = self
        while True:
            if node.parent is None or random.random() < 0.1:
                return node
            node = node.parent
os.environ["CUDA_VISIBLE_DEVICES"] = Node("3", Node("2", Node("1", Node("0")))).root().value
torch.cuda.init()
