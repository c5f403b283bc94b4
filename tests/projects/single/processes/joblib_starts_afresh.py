import torch
from joblib import Parallel, delayed


def work(value):
    return torch.tensor([value], device="cuda").item()


model = torch.nn.Linear(1, 1).cuda()
print(Parallel(n_jobs=2)(delayed(work)(value) for value in range(2)))
