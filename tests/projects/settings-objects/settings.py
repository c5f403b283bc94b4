from dataclasses import dataclass, field


@dataclass(frozen=True)
class Gpu:
    index: int = 0
    order: str = "PCI_BUS_ID"


@dataclass
class Settings:
    gpu: Gpu = field(default_factory=Gpu)


CONFIG = {"gpu": "1", "order": "PCI_BUS_ID"}
GPU = Gpu()
