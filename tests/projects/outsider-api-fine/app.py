import torch


def free():
    torch.cuda.empty_cache()


def vendor():
    if torch.version.hip is not None and torch.cuda.is_available():
        return "amd"
    return "nvidia"


class Cuda:
    def clear_cache(self):
        self.items = {}


def clear(cuda: Cuda):
    cuda.clear_cache()


torch.set_float32_matmul_precision("high")
