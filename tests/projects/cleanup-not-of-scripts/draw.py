import torch


def test_uniform():  # ~ gpu-test-without-cleanup note
    torch.zeros(4, device="cuda")  # ~ missing-visible-devices warning


if __name__ == "__main__":
    test_uniform()
