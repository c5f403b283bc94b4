import os


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return True  # ~ context-swallows-exception warning


with Quiet():
    raise ValueError("nobody sees this")

import torch

torch.cuda.init()  # ~ missing-visible-devices warning
