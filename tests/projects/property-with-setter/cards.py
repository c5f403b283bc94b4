"""What is set is kept, and read again through the same name."""

import os


class Cards:
    def __init__(self):
        self._chosen = None

    @property
    def chosen(self):
        return self._chosen

    @chosen.setter
    def chosen(self, cards):
        self._chosen = cards
        os.environ["CUDA_VISIBLE_DEVICES"] = cards
