import sys

import torch

AVAILABLE = torch.cuda.is_available()


def test_registry(device):
    import app.registry

    assert app.registry.KINDS


def test_light():
    import app

    assert "cupy" not in sys.modules  # ~ import-proof-in-same-process warning
    assert "app.registry" in sys.modules
