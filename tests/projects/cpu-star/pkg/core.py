from .ops import *

__all__ = ["add"]
