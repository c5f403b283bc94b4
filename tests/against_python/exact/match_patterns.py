import os
from dataclasses import dataclass
from enum import Enum

import torch


class Mode(Enum):
    CPU = 1
    GPU = 2


@dataclass
class Device:
    kind: str
    index: int = 0


def choose(what):
    match what:
        case None | "none":
            return "no"
        case Mode.CPU | Device("cpu"):
            return "cpu"
        case Mode():
            return what.name
        case Device("cuda", index=index) if index > 3:
            return f"far{index}"
        case Device(kind, 0 | 1):
            return kind
        case {"gpu": card, "mode": "fast" | "slow" as mode, **rest}:
            return f"{card}{mode}{len(rest)}"
        case ["use", ("gpu" | "cuda") as kind, *cards]:
            return kind + ",".join(cards)
        case [first, _]:
            return first
        case str(text) if text.isdigit():
            return "digits" + text
        case _:
            return "other"


devices = [Device("cpu"), Device("cuda", 5), Device("cuda", 1), Device("cuda", 2)]
others = [None, "none", Mode.CPU, Mode.GPU, {"gpu": 3, "mode": "slow", "x": 1}, "use gpu 3 4".split(), ("a", "b"), "12", "z"]
for what in devices + others:
    os.environ["CUDA_VISIBLE_DEVICES"] = choose(what)
torch.cuda.init()
