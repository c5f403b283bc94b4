import json
import os

with open("settings.json") as file:
    config = json.load(file)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = config["gpu"]
os.environ.update({key: str(value) for key, value in {"WORKERS": 2}.items()})
