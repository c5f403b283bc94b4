import torch


def build():
    return torch.nn.Linear(2, 2)


def train(model, device):
    model.to(device)  # ~ missing-visible-devices warning


def main():
    model = build()
    train(model, "cuda:0")


if __name__ == "__main__":
    main()
