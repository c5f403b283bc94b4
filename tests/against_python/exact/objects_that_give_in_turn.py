import os


class Countdown:
    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return str(self.left)


class Card:
    count = 0

    def __init__(self):
        type(self).count += 1
        self.number = str(self.count)


def choose(_):
    os.environ["CUDA_VISIBLE_DEVICES"] = Card().number


[choose(each) for each in Countdown(2) if each]
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(Countdown(3))
first, second = Countdown(2)
os.environ["CUDA_VISIBLE_DEVICES"] = second
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(list(Countdown(2)) + ["7"])
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join({each: 1 for each in Countdown(2)})
