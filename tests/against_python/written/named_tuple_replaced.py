import os
from typing import NamedTuple

import torch


class Place(NamedTuple):
    card: str
    number: int = 0

    def use(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = self.card


place = Place("1")
place.use()
place._replace(card="2").use()
torch.cuda.init()
