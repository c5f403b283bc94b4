import os

config = {}
device = config.get("device", "cuda:1")
name = config.get("name", "cuda:1")
chosen = os.environ.get("MODEL_DEVICE", "cuda:1")
print(device, name, chosen)
