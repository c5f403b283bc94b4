"""`utils` is ours, and importing it initialises CUDA."""
from utils.platform import CARDS

from TTS.api import TTS

if __name__ == "__main__":
    TTS(gpu=CARDS)  # ~ missing-visible-devices note
