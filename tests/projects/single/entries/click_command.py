import os

import click


@click.command()
@click.option("--gpu", default="0")
def main(gpu):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    import torch

    torch.ones(1).cuda()


if __name__ == "__main__":
    main()
