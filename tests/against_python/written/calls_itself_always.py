import os


class Mask:
    def __init__(self):
        self.items = ["1", "2"]

    def __enter__(self):
        self.count(2)
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"

    def __exit__(self, kind, error, trace):
        pass

    def count(self, number):
        self.count(len(self.items))


try:
    with Mask():
        pass
except Exception:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
