import torch


def valid(index):
    if index >= torch.cuda.device_count():
        raise ValueError("no such GPU")
    return torch.device("cuda", index)


def need_two():
    assert torch.cuda.device_count() >= 2, "needs two GPUs"
    return torch.ones(1, device="cuda:1")


def exit_without_two():
    if torch.cuda.device_count() < 2:
        raise SystemExit("needs two GPUs")
    torch.cuda.set_device(1)


if __name__ == "__main__":
    print(valid, need_two)
