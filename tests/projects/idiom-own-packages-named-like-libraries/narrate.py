"""The engine of our own package uses the card."""
from TTS.api import TTS

if __name__ == "__main__":
    TTS(gpu=True)  # ~ missing-visible-devices warning
