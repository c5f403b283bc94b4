import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.zeros(4)


def loader(batch):
    return DataLoader(Numbers(), batch_size=batch, pin_memory=True)
