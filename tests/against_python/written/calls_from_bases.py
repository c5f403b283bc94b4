import ast
import os
from collections.abc import MutableMapping, MutableSequence
from html.parser import HTMLParser

import torch


class Cards(MutableSequence):
    def __init__(self):
        self.held = [3, 4]
        self.changed = 0

    def __getitem__(self, index):
        return self.held[index]

    def __setitem__(self, index, value):
        self.held[index] = value

    def __delitem__(self, index):
        self.changed += 1
        del self.held[index]

    def __len__(self):
        return len(self.held)

    def insert(self, index, value):
        self.changed += 1
        self.held.insert(index, value)


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.count = 0

    def handle_starttag(self, tag, attrs):
        self.count += 1


class Names(ast.NodeVisitor):
    def __init__(self):
        self.last = "none"

    def visit_Name(self, node):
        self.last = node.id


class Settings(MutableMapping):
    def __init__(self):
        self.items_held = {}
        self.written = 0

    def __getitem__(self, key):
        return self.items_held[key]

    def __setitem__(self, key, value):
        self.written += 1
        self.items_held[key] = value

    def __delitem__(self, key):
        del self.items_held[key]

    def __iter__(self):
        return iter(self.items_held)

    def __len__(self):
        return len(self.items_held)


class Log:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text


cards = Cards()
cards.append(5)
cards.pop()
os.environ["CUDA_VISIBLE_DEVICES"] = str(cards.changed)
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = "yes" if len(cards.held) == 2 else "no"
links = Links()
links.feed("<a><b>")
os.environ["CUDA_VISIBLE_DEVICES"] = str(links.count)
names = Names()
names.visit(ast.parse("first + second"))
os.environ["CUDA_VISIBLE_DEVICES"] = names.last
settings = Settings()
settings.update({"first": 1, "second": 2})
settings.setdefault("third", 3)
os.environ["CUDA_VISIBLE_DEVICES"] = str(settings.written)
log = Log()
print("card", 1, file=log)
os.environ["CUDA_VISIBLE_DEVICES"] = "empty" if log.text == "" else "written"
