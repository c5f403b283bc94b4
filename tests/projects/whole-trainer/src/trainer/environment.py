import os

from .settings import Settings


def prepare(settings: Settings) -> None:
    os.environ.setdefault("CUDA_DEVICE_ORDER", settings.order)
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", settings.mask)
