import os

import torch

from dataclasses import dataclass, field

@dataclass
class Options:
    cards: list = field(default_factory=lambda: ["0"])
    mask: str = field(init=False)

    def __post_init__(self):
        self.mask = ",".join(self.cards)

one, two = Options(), Options(["1", "2"])
one.cards.append("9")
os.environ["CUDA_VISIBLE_DEVICES"] = Options().mask + two.mask
torch.cuda.init()
