import os
from dataclasses import dataclass

import torch


@dataclass
class Settings:
    name: str = "large"
    device: str = "cuda:1"


print(Settings())
print(torch.__version__)
