import os


class Card:
    known = os.path.exists("marker")

    def __getattr__(self, name):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


Card().known
