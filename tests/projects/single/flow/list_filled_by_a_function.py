import sys

import torch


def fill(rows):
    for line in sys.stdin:
        rows.append(line)


rows = []
fill(rows)
if len(rows) == 0:
    raise SystemExit
torch.zeros(1).cuda()  # ~ missing-visible-devices warning
