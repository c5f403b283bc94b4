import torch

from .data import loader
from .model import build


def run(settings):
    model = build(settings.device)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in loader(settings.batch):
        loss = model(batch.to(settings.device)).sum()
        loss.backward()
        optimizer.step()
    return model
