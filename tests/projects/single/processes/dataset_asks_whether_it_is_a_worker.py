import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Waves(Dataset):
    def __getitem__(self, index):
        wave = torch.zeros(index)
        if get_worker_info() is None:
            wave = wave.cuda()
        return wave


loader = DataLoader(Waves(), num_workers=2)
