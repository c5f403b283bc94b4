import functools
import os
import torch


class Base:
    pass


class Plan(Base):
    pass


@functools.singledispatch
def choose(what):
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


@choose.register
def choose_base(what: Base):
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


choose.register(list, lambda what: os.environ.update(CUDA_VISIBLE_DEVICES="2"))
choose(Plan())
torch.cuda.init()
choose([1])
