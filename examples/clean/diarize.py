"""Groups the segments of a recording by speaker."""

import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import sys

import torch

SPEAKERS = 2


def nearest_speaker(embeddings, rounds=10):
    """A few rounds of k-means over the rows of `embeddings`."""
    centres = embeddings[:SPEAKERS].clone()
    for _ in range(rounds):
        labels = torch.cdist(embeddings, centres).argmin(dim=1)
        for speaker in range(SPEAKERS):
            members = embeddings[labels == speaker]
            if len(members):
                centres[speaker] = members.mean(dim=0)
    return labels


def main():
    embeddings = torch.load(sys.argv[1], map_location="cpu", weights_only=True)
    print(nearest_speaker(embeddings.to("cuda:0")).tolist())


if __name__ == "__main__":
    main()
