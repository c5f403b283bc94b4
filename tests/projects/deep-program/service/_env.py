import os

_DEFAULTS = {
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "CUDA_VISIBLE_DEVICES": "0",
    "TOKENIZERS_PARALLELISM": "false",
}


def setup(overrides=None):
    values = {**_DEFAULTS, **(overrides or {})}
    for name, value in values.items():
        if name not in os.environ:
            os.environ[name] = value
