"""The override that was left in place."""
import os


def select(card="0"):
    os.environ["CUDA_VISIBLE_DEVICES"] = card  # ~ wrong-visible-devices error, conflicting-pins error
