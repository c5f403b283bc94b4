from ._impl import Base, Pipeline as Pipeline

__all__ = ["Pipeline", "Base"]
