import torch

from .config import NAME


def main():
    torch.ones(1).cuda()
    print(NAME)


if __name__ == "__main__":
    main()
