import os


def pin(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)  # ~ missing-device-order warning


if __name__ == "__main__":
    pin(1)
    import torch

    torch.cuda.init()
