import os

config = {}
device = config.get("device", "cuda:1")  # ~ device-not-allowed warning
name = config.get("name", "cuda:1")
chosen = os.environ.get("MODEL_DEVICE", "cuda:1")  # ~ device-not-allowed warning
print(device, name, chosen)
