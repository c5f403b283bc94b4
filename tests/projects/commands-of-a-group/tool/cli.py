import os

import click
import torch


@click.group()
def cli():
    print(torch.cuda.get_device_name())


@cli.command("run")
@click.option("--card")
def run(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card  # ~ pin-after-cuda-init error
    torch.zeros(1).cuda()
