import abc
import os
import pathlib
import torch


class Table(abc.ABC):
    pass


class Row:
    pass


Table.register(dict)
Table.register(Row)


def choose(what):
    if isinstance(what, Table):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"


choose({})
torch.cuda.init()
choose(Row())
torch.cuda.init()
choose(pathlib.Path("a"))
torch.cuda.init()
if isinstance(pathlib.Path("a"), str):
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
