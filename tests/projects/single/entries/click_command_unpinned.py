import click
import torch


@click.command()
@click.option("--size", default=4)
def main(size):
    torch.ones(size).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    main()
