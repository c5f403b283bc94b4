from .api import run
