import os
def deco(func):
    def wrapper(*args):
        return func(*args)
    return wrapper
@deco
@deco
def f():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
f()
