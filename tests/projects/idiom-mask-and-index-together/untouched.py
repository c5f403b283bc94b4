"""As it was: the second card of the machine, chosen by its index."""
import torch

if __name__ == "__main__":
    torch.cuda.set_device(1)  # ~ missing-visible-devices note, device-not-allowed warning
