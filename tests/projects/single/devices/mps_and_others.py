import torch


def build(x):
    x.to("mps:0")
    x.to("xpu:1")
    x.to("cpu:1")
    x.to("meta")
    return x


if __name__ == "__main__":
    print(build)
