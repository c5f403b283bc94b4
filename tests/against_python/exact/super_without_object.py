import os
import torch


class Base:
    def cards(self):
        return "0"


class Left(Base):
    def cards(self):
        return super().cards() + "1"


class Right(Base):
    def cards(self):
        return super().cards() + "2"


class Both(Left, Right):
    def cards(self):
        return super().cards() + "3"


os.environ["CUDA_VISIBLE_DEVICES"] = Both.cards(Both())
torch.cuda.init()
