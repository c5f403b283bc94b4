import env
import torch
from cards import checked


@checked
def main():
    torch.zeros(1, device="cuda")


main()
