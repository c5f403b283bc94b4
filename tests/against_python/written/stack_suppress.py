import contextlib
import os
import torch


@contextlib.contextmanager
def pinned(card):
    before = os.environ.get("CUDA_VISIBLE_DEVICES", "9")
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    try:
        yield before
    finally:
        os.environ["CUDA_VISIBLE_DEVICES"] = before


def leave(order):
    os.environ["CUDA_DEVICE_ORDER"] = order + os.environ["CUDA_VISIBLE_DEVICES"]


os.environ["CUDA_VISIBLE_DEVICES"] = "0"
with contextlib.ExitStack() as stack:
    stack.callback(leave, "first")
    stack.enter_context(contextlib.suppress(ValueError))
    before = stack.enter_context(pinned("1"))
    stack.callback(leave, "second")
    if before == "0":
        raise ValueError(before)
    torch.cuda.init()
torch.cuda.init()
