import os
def f(): os.environ["CUDA_VISIBLE_DEVICES"] = "1"
steps = [f]
i = 0
while i < len(steps):
    steps[i]()
    i += 1
