import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)


if __name__ == "__main__":
    print(Net().cuda())  # ~ missing-visible-devices note
