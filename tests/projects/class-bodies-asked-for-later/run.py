import sys

from cards import Card, Changed

Changed.mask = "0"
Changed.pin()


class Own(Card):
    pass


if len(sys.argv) > 1:
    # The body of the base runs here at the latest, and holds behind the branch too.
    print(Own.limit)
Own().pin()

import torch

print(torch.zeros(1).cuda())
