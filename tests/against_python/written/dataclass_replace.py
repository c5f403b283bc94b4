import dataclasses
import os


@dataclasses.dataclass
class Card:
    index: str = "1"
    order: str = "PCI_BUS_ID"

    def __post_init__(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = self.index
        os.environ["CUDA_DEVICE_ORDER"] = self.order


dataclasses.replace(Card(order="FASTEST_FIRST"), index="2")
