import os


class Card:
    kinds = {}

    def __init_subclass__(cls, **more):
        Card.kinds[cls.__name__] = cls


class First(Card):
    def choose(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


class Second(Card):
    def choose(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"


Card.kinds["Second"]().choose()
