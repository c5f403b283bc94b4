import torch


def main():
    torch.ones(2).cuda()  # ~ missing-visible-devices warning


if "__main__" == __name__:
    main()
