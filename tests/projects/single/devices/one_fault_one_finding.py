import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"

from faster_whisper import WhisperModel

model = WhisperModel("small", device="cuda:1")  # ~ wrong-device-argument warning
right = WhisperModel("small", device="cuda", device_index=0)
