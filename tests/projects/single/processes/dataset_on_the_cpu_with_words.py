"""cuda in words only."""
import torch
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    """Move the batch with .cuda() yourself."""

    def __getitem__(self, index):
        wave = torch.zeros(index, device="cpu").to(torch.float16)
        # wave = wave.cuda()
        return wave.to("cpu"), "cuda:0"


for wave, name in DataLoader(Waves(), num_workers=2, pin_memory=True):
    wave.cuda(non_blocking=True)
