"""`utils` is ours, and importing it initialises CUDA."""
from utils.platform import CARDS  # ~ missing-visible-devices note

from TTS.api import TTS

if __name__ == "__main__":
    TTS(gpu=CARDS)
