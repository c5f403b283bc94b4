"""The one place that knows which card is the right one."""
import os

SETTINGS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "1"}


def choose_card(settings=SETTINGS):
    for name, value in settings.items():
        os.environ[name] = value
    return settings["CUDA_VISIBLE_DEVICES"]
