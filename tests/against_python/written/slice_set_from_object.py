import os


class Steps:
    left = 2

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        os.environ["CUDA_VISIBLE_DEVICES"] = str(self.left)
        return "1"


cards = ["0"]
cards[1:] = Steps()
