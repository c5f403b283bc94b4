import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


from collections import OrderedDict, defaultdict, deque
from types import MappingProxyType, MethodType, SimpleNamespace

waiting = deque([hit])
waiting.appendleft(hit)
waiting.popleft()()
waiting.pop()()
found = OrderedDict()
found["take"] = hit
found["take"]()
made = defaultdict(hit)
made["first"]
MappingProxyType({"take": hit})["take"]()
SimpleNamespace(take=hit).take()


class Card:
    pass


card = Card()
card.take = MethodType(hit, card)
card.take()

torch.cuda.init()
