import itertools
import os


def inner():
    yield "1"
    yield "2"


def expression():
    yield from (card + "0" for card in inner())


def mapped():
    yield from map(lambda card: card + "3", inner())


def until():
    yield from itertools.takewhile(bool, map(str, ["4", "5"]))


def chained():
    yield from itertools.chain(["6"], inner())


def over_list():
    yield from (card + "7" for card in ["8", "9"])


for made in [expression, mapped, until, chained, over_list]:
    for os.environ["CUDA_VISIBLE_DEVICES"] in made():
        pass
