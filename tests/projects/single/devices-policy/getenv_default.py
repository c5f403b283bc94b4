import os

DEVICE = os.environ.get("TTS_DEVICE", "cuda:1")  # ~ device-not-allowed error
print(DEVICE)
