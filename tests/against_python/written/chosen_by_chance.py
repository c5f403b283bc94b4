import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


random.choice([hit])()
random.sample([hit], 1)[0]()
hits = [hit]
random.shuffle(hits)
hits[0]()
{"take": hit, "count": len}.get(random.choice(["take"]))()
globals()[random.choice(["hit"])]()

torch.cuda.init()
