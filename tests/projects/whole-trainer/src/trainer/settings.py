from dataclasses import dataclass


@dataclass
class Settings:
    mask: str = "0"
    order: str = "PCI_BUS_ID"
    device: str = "cuda:0"
    batch: int = 1
