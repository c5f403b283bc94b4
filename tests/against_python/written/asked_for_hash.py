import torch


class Key:
    def __hash__(self):
        torch.cuda.init()
        return 1


class Other:
    def __hash__(self):
        torch.cuda.current_device()
        return 1


keys = {}
keys[Key()] = 1
hash(Key())
others = [Other()]
