import os
def pick():
    os.environ["CUDA_VISIBLE_DEVICES"] = "49"
def call(what=pick):
    what()
call(call)
