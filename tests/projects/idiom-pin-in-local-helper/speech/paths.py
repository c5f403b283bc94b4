"""Where things lie. Nothing here chooses a card, whatever the name says."""
from pathlib import Path


def _setup():
    return Path(__file__).resolve().parent.parent


def setup_gpu_paths():
    return _setup() / "models"
