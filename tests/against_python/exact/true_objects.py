import os
import torch


class Node:
    def __init__(self, card, below=None):
        self.card = card
        self.below = below


def walk(node):
    if node:
        os.environ["CUDA_VISIBLE_DEVICES"] = str(node.card)
        walk(node.below)


walk(Node(0, Node(1, Node(2, Node(3, Node(4))))))
os.environ["CUDA_DEVICE_ORDER"] = str(bool(Node(0)) and not Node(1).below)
torch.cuda.init()
