import os
from dataclasses import InitVar, asdict, astuple, dataclass, field
from typing import ClassVar

import torch


@dataclass
class Base:
    made: ClassVar[int] = 0
    name: str = "n"


@dataclass
class Job(Base):
    offset: InitVar[int] = 0
    where: str = field(init=False, default="w")
    card: str = field(default="0", kw_only=True)

    def __post_init__(self, offset):
        Base.made += 1
        self.where += str(offset)


job = Job("a", 4, card="2")
os.environ["CUDA_VISIBLE_DEVICES"] = job.name + job.where + job.card + str(Base.made)
os.environ["CUDA_VISIBLE_DEVICES"] = asdict(job)["where"] + astuple(job)[0]
if Job("a") == Job("a") and Job("a") != Job("b"):
    torch.cuda.init()
