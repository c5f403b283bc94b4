import os
from dataclasses import dataclass, field

os.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'
os.environ['CUDA_VISIBLE_DEVICES'] = '1'  # RTX 3090

import torch


@dataclass
class Config:
    device: str = 'cuda:0'
    model: str = 'large-v3'
    options: dict = field(default_factory=lambda: {'beam': 5, 'vad_device': 'cuda:0'})


class Manager:
    def __init__(self, config=None):
        self.config = config or Config()
        self.device = torch.device(self.config.device if torch.cuda.is_available() else 'cpu')

    def memory(self): return torch.cuda.memory_allocated(self.device)


if __name__ == '__main__':
    print(Manager().memory())
