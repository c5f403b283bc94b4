import torch


def pick():
    print(torch.cuda.device_count())
    return torch.ones(1, device="cuda:1")  # ~ device-not-allowed warning


if __name__ == "__main__":
    print(pick)
