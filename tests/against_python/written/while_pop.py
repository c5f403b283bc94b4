import os
todo = ["1", "2"]
while todo:
    q = todo.pop()
    os.environ["CUDA_VISIBLE_DEVICES"] = q
