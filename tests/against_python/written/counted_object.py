import collections
import os


class Cards:
    def __getitem__(self, index):
        if index > 1:
            raise IndexError(index)
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"
        return "1"


collections.Counter(Cards())
