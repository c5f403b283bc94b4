import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from faster_whisper import WhisperModel

if __name__ == "__main__":
    model = WhisperModel("large-v3", device="cuda")
    print(model.transcribe("voice.wav"))
