import os
from collections import namedtuple
from typing import NamedTuple

import torch


class Place(NamedTuple):
    node: str
    cards: tuple = ("0",)

    @property
    def mask(self):
        return ",".join(self.cards)


Point = namedtuple("Point", "x y", defaults=["7"])
place = Place("a", ("1", "2"))
node, cards = place
os.environ["CUDA_VISIBLE_DEVICES"] = node + cards[-1] + place.mask + place[0]
point = Point(x="1")
os.environ["CUDA_VISIBLE_DEVICES"] = point.x + point[1] + point._asdict()["y"] + point._replace(x="8").x
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(Point._make(["4", "5"])) + str(len(point))
if Point("1", "2") == Point("1", y="2") and place != Place("b"):
    torch.cuda.init()
