import contextlib
import os
import torch


@contextlib.contextmanager
def pinned(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    yield card
    os.environ["CUDA_VISIBLE_DEVICES"] = "left"


with contextlib.ExitStack() as stack:
    stack.enter_context(pinned("1"))
    kept = stack.pop_all()
torch.cuda.init()
kept.close()
