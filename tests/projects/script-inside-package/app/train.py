import torch


def main():
    torch.ones(1).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    main()
