from .vectors import add
