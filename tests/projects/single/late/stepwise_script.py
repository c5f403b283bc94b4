"""Fine-tunes a model on the second card."""

import argparse
import json
import logging
import os
import random
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("train")


class Lines(Dataset):
    def __init__(self, path: Path):
        self.lines = path.read_text().splitlines()

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        return torch.tensor([float(x) for x in self.lines[index].split()])


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True


def get_device(gpu: int) -> torch.device:
    if torch.cuda.is_available():
        os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)  # ~ pin-after-cuda-init error
        return torch.device("cuda")
    return torch.device("cpu")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--gpu", type=int, default=0)
    args = parser.parse_args()
    seed_everything(7)
    device = get_device(args.gpu)
    model = torch.nn.Linear(4, 1).to(device)
    loader = DataLoader(Lines(args.data), batch_size=4, pin_memory=True)
    for batch in loader:
        loss = model(batch.to(device)).mean()
        loss.backward()
    log.info(json.dumps({"device": str(device)}))


if __name__ == "__main__":
    main()
