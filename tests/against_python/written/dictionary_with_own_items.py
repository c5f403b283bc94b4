import os


class Table(dict):
    def __getitem__(self, key):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return super().__getitem__(key)


for key in list(Table(first="3")):
    pass
