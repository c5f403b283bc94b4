import os


class Card:
    name = "0"

    def __new__(cls, *args):
        return None


os.environ["CUDA_VISIBLE_DEVICES"] = getattr(Card(), "name", "2")
