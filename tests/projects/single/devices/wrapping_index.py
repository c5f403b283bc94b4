import torch


def build(x):
    return x.to("cuda:300")


if __name__ == "__main__":
    print(build)
