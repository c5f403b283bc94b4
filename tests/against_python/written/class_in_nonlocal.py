import os
def make(count):
    def g():
        nonlocal count
        class D:
            count: int = 0
        return count
    return g
os.environ["CUDA_VISIBLE_DEVICES"] = str(make("7")())
