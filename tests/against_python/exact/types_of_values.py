import os

import torch

from collections import deque
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence, Sized


class Box:
    size = 1

    def __init__(self, held):
        self.held = held


def told(value):
    said = "1" if isinstance(value, (str, bytes)) else "0"
    said += "1" if isinstance(value, tuple) and hasattr(value, "_fields") else "0"
    said += "1" if isinstance(value, Sequence) else "0"
    said += "1" if isinstance(value, Mapping) else "0"
    return said


def held(value):
    said = "1" if isinstance(value, list) else "0"
    said += "1" if isinstance(value, (tuple, list)) else "0"
    said += "1" if isinstance(value, Iterable) else "0"
    said += "1" if isinstance(value, Sized) else "0"
    said += "1" if isinstance(value, MutableSequence) else "0"
    said += "1" if isinstance(value, dict) else "0"
    return said


def nested(value):
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "".join(nested(one) for one in value.values())
    if isinstance(value, Sequence):
        return "".join([nested(one) for one in value])
    return "n"


masks = [told((1, 2)), told([1]), told({"a": 1}), told("text"), told(5), told(None), told(told)]
masks += [held((1, 2)), held([1]), held({"a": 1}), held("a b".split()), held(sorted([2, 1])), held(None)]
masks += [held([one for one in (1, 2)]), held([1, 2][:1]), held([1] + [2]), held(list((1, 2)))]
masks.append("1" if isinstance({1, 2}, Mapping) or isinstance(deque([1]), Mapping) else "0")
masks.append("1" if isinstance(told, Callable) and isinstance(Box, Callable) else "0")
masks.append("1" if hasattr(Box, "size") and not hasattr(Box, "held") else "0")
masks.append("1" if os.getpid() == Box(os.getpid()).held else "0")
masks.append("1" if told is told and told is not held else "0")
masks.append(nested(({"a": "0"}, ["1", "2"])))
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(masks)
torch.cuda.init()
