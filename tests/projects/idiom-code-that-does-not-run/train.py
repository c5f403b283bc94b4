"""The card is chosen in a docstring:

    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
"""
from app.templates import HEADER, write

import torch

# os.environ["CUDA_VISIBLE_DEVICES"] = "1"

if __name__ == "__main__":
    write("job.py")
    torch.zeros(len(HEADER), device="cuda")  # ~ missing-visible-devices note
