from torch.utils.data import Dataset


class Images(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.items[index].to("cuda")
