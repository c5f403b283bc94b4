"""The old function, which respects what is set."""
import os


def select(card="1"):
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", card)
