import os

import torch

class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)
        return self

    def pop(self):
        return self._items.pop()

    @property
    def top(self):
        return self._items[-1] if self._items else None

stack = Stack().push("0").push("1").push("2")
stack.pop()
os.environ["CUDA_VISIBLE_DEVICES"] = stack.top
torch.cuda.init()
