import sys

import torch

GPU = 1


def put(tensor):
    tensor.to("cuda:" + str(1))  # ~ device-not-allowed warning
    tensor.to("cuda:%d" % GPU)  # ~ device-not-allowed note
    tensor.to("cuda:{}".format(1))  # ~ device-not-allowed note
    tensor.to(f"cuda:{GPU}")  # ~ device-not-allowed note
    tensor.to(f"cuda:{GPU - 1}")
    tensor.to(f"cuda:{sys.argv[1]}")
    return tensor


if __name__ == "__main__":
    print(put)
