import torch

A = torch.rand(4, 4, device="cuda")  # ~ gpu-object-at-import note, missing-visible-devices warning


def main():
    return A.sum()


if __name__ == "__main__":
    main()
