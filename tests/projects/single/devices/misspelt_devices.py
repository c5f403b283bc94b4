import argparse

import torch
from faster_whisper import WhisperModel


def load(settings, device="coda:0"):  # ~ device-name-typo error
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    weights = torch.load("weights.pt", map_location="cude")  # ~ device-name-typo error
    model = torch.nn.Linear(2, 2).to("gpu")  # ~ device-name-typo error
    listen = WhisperModel("small", device="cuda:0")  # ~ wrong-device-argument warning
    return weights, model, listen, settings.get("device", "cdua"), args.device, device  # ~ device-name-typo error


def right(model, index, name):
    model.to(name)
    model.to(f"cuda:{index}").to("cpu").to(torch.float16)
    parts = {"coda": 1, "backend": "cude"}
    return WhisperModel("small", device="cuda", device_index=0), parts, "coda:1" == name
