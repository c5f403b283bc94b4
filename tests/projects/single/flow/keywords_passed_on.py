import torch


class Model:
    @classmethod
    def load(cls, path, **options):
        return torch.load(path, **options)  # ~ missing-visible-devices warning


def build(path, kind="small", **options):
    return Model.load(path, **options)


build("a.pt", kind="large", map_location="cpu")
build("b.pt", kind="large", map_location="cuda")
