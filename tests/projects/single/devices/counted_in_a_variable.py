import torch


def place(model):
    count = torch.cuda.device_count()
    if count > 1:
        return model.to("cuda:1")
    return model.to("cuda:0")


def other(model):
    device = "cuda:1" if torch.cuda.device_count() > 1 else "cuda:0"
    return model.to(device)
