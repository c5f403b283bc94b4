import functools
import os


@functools.lru_cache
def choose(card):
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        os.environ["CUDA_DEVICE_ORDER"] = card
    return card


choose("1")
if os.environ.get("MODE"):
    choose("2")
os.environ["CUDA_VISIBLE_DEVICES"] = "3"
choose("1")
os.environ["CUDA_VISIBLE_DEVICES"] = choose("2")
