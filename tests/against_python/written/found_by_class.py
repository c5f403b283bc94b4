import os
import torch


class Base:
    pass


class Card(Base):
    pass


class Special(Card):
    pass


class Visitor:
    def visit(self, node):
        found = None
        for kind in node.__class__.__mro__:
            found = getattr(self, "visit_" + kind.__name__, None)
            if found:
                break
        return (found or self.otherwise)(node)

    def otherwise(self, node):
        os.environ["CUDA_DEVICE_ORDER"] = node.__class__.__name__

    def visit_Card(self, node):
        os.environ["CUDA_VISIBLE_DEVICES"] = type(node).__name__


Visitor().visit(Base())
Visitor().visit(Special())
torch.cuda.init()
