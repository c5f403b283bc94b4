import torch


def build(x):
    a = torch.device("cuda:1")
    b = torch.empty(2, 3, device=torch.device("cuda", 2))  # ~ device-not-allowed warning
    c = x.to(torch.device("cuda:1"), dtype=torch.float16)  # ~ device-not-allowed warning
    d = x.to(dtype=torch.float16, device="cuda:1")  # ~ device-not-allowed note
    e = torch.tensor([1.0], device="cuda:3")  # ~ device-not-allowed warning
    f = torch.empty_like(x, device="cuda:1")  # ~ device-not-allowed note
    return a, b, c, d, e, f


if __name__ == "__main__":
    print(build)
