import os
from typing import Callable

type Maker[T] = Callable[[], T]


def first[T](items: list[T], /, *, default: T | None = None) -> T | None:
    return items[0] if items else default


class Box[T]:
    def __init__(self, value: T) -> None:
        self.value = value


match os.environ.get("MODE", "x").split():
    case ["fast", *rest] if rest:
        print(rest)
    case {"a": 1, **others}:
        print(others)
    case Box(value=v) | v:
        print(v)

try:
    print(f"{'a' + "b"} {first([1])!r:>{5}}")
except* ValueError as group:
    print(group.exceptions)

if (gpu := "0") and not (lazy := False):
    os.environ["CUDA_DEVICE_ORDER"], os.environ["CUDA_VISIBLE_DEVICES"] = "PCI_BUS_ID", gpu

import torch

print([*range(3)], {**{}}, lazy)
torch.ones(1).cuda()
