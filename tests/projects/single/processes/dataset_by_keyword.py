import torch
from torch.utils import data


class Waves(data.Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def __getitem__(self, index):
        wave = torch.load(self.paths[index])  # ~ load-without-map-location note
        return wave.to(self.device)  # ~ cuda-in-dataset-worker warning


def loader(paths, workers=8):
    options = {"num_workers": 8, "batch_size": 2}
    return data.DataLoader(dataset=Waves(paths), **options)
