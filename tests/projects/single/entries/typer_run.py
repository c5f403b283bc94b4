import torch
import typer


def main(size: int = 4):
    torch.ones(size).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    typer.run(main)
