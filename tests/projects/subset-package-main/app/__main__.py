from .model import Model

Model()
