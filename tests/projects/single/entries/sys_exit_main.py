import sys

import torch


def main():
    torch.ones(2).cuda()  # ~ missing-visible-devices warning
    return 0


if __name__ == "__main__":
    sys.exit(main())
