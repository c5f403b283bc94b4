import torch


def count(model, size):
    batch = torch.rand(size)
    if next(model.parameters()).is_cuda:
        batch = batch.cuda()
    return model(batch)


count(torch.nn.Linear(4, 4), (1, 4))
