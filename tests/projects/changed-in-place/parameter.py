"""A configuration is changed in the function that it is handed to."""

import os


class Settings:
    chosen = {}


def choose(config):
    config["gpus"] = "1"


def add(cards):
    cards.append("2")


def register(settings):
    settings.chosen["order"] = "PCI_BUS_ID"


config = {"gpus": "0"}
choose(config)
cards = ["3"]
add(cards)
register(Settings)
os.environ["CUDA_DEVICE_ORDER"] = Settings.chosen["order"]
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join([config["gpus"], *cards])

import torch

torch.zeros(1, device="cuda:3")  # ~ device-outside-mask error
