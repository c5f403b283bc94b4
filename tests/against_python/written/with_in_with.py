import contextlib
import os


@contextlib.contextmanager
def pinned(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    yield card


with pinned("0"), pinned("1"):
    with pinned("2"):
        with pinned("3"):
            pass
