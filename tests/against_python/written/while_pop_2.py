import os
def f(): os.environ["CUDA_VISIBLE_DEVICES"] = "1"
def g(): os.environ["CUDA_DEVICE_ORDER"] = "1"
todo = [f, g]
while todo:
    todo.pop()()
