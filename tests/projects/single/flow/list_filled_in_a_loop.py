import sys

import torch


def read(path):
    names = []
    with open(path) as lines:
        for line in lines:
            names.append(line.strip())
    return names


if __name__ == "__main__":
    names = read(sys.argv[1])
    if not names:
        sys.exit("nothing to do")
    for name in names:
        torch.load(name).cuda()  # ~ missing-visible-devices warning
