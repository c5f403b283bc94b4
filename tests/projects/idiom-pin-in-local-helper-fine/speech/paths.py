"""Where things lie."""
from pathlib import Path


def _setup():
    return Path(__file__).resolve().parent.parent
