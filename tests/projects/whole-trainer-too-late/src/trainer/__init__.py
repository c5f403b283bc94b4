from .model import build

__all__ = ["build"]
