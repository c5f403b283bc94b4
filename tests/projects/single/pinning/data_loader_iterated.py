import torch
from torch.utils.data import DataLoader

loader = DataLoader(list(range(8)), batch_size=2, pin_memory=True)
print(len(loader))
for batch in loader:  # ~ missing-visible-devices warning
    print(batch)
