import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


import operator


class Card:
    number = property(hit)

    def take(self):
        return hit()

    @property
    def name(self):
        return hit()


operator.methodcaller("take")(Card())
operator.attrgetter("name")(Card())
operator.itemgetter("take")({"take": hit})()
Card().number

torch.cuda.init()
