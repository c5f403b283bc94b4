import os
from dataclasses import dataclass, field


@dataclass
class Settings:
    cards: list = field(default_factory=lambda: ["0"])
    order: str = "PCI_BUS_ID"

    def __post_init__(self):
        os.environ["CUDA_DEVICE_ORDER"] = self.order
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(self.cards)


Settings()

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
