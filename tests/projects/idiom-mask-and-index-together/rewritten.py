"""The index is rewritten, and no mask is there: this is the other card."""
import torch

if __name__ == "__main__":
    torch.zeros(4, device="cuda:0")  # ~ missing-visible-devices warning
