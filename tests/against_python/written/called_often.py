import os
import re
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS



list(map(hit, range(random.randint(1, 3))))
numbers = [3, 1]
numbers.sort(key=hit)
min([1, 2], key=hit, default=0)
re.sub("a", lambda found: str(hit()), "aa")
for one in iter(hit, 12):
    pass

torch.cuda.init()
