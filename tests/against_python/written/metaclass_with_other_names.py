import os
import torch


class Upper(type):
    def __new__(kind, name, bases, names):
        names = {key: value.upper() if key == "tag" else value for key, value in names.items()}
        names["added"] = "plus"
        return super().__new__(kind, name, bases, names)

    def __contains__(cls, tag):
        return tag == cls.tag


class Thing(metaclass=Upper):
    tag = "abc"


os.environ["CUDA_VISIBLE_DEVICES"] = Thing.tag + Thing.added
if "ABC" in Thing:
    torch.cuda.init()
