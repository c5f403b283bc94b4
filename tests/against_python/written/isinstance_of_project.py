import os
import torch


class Base:
    pass


class Runner(Base):
    pass


class Other:
    pass


def choose(what):
    if isinstance(what, (Base, str)):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    elif isinstance(what, dict):
        os.environ["CUDA_VISIBLE_DEVICES"] = what["card"]
    elif isinstance(what, bool):
        os.environ["CUDA_VISIBLE_DEVICES"] = "3"
    elif isinstance(what, int):
        os.environ["CUDA_VISIBLE_DEVICES"] = "4"
    elif what is None:
        os.environ["CUDA_VISIBLE_DEVICES"] = "5"


choose(Runner())
torch.cuda.init()
choose({"card": "2"})
torch.cuda.init()
choose(True)
torch.cuda.init()
choose(7)
torch.cuda.init()
choose(None)
torch.cuda.init()
choose(Other())
