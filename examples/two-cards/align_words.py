"""Aligns the words of a transcript with the frames of its recording."""

import os

os.environ.update({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import sys

import numpy as np
import torch


def best_frames(emissions):
    """The frame in which each label is most likely."""
    return torch.softmax(emissions, dim=-1).argmax(dim=0)


def main():
    emissions = torch.from_numpy(np.load(sys.argv[1])).to("cuda")
    np.save(sys.argv[2], best_frames(emissions).cpu().numpy())


if __name__ == "__main__":
    main()
