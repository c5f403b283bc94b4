"""The speech engine is told to use CUDA; nothing here imports torch."""
from TTS.utils.synthesizer import Synthesizer

from voice.texts import all_texts


def main():
    engine = Synthesizer("tts.pth", "tts.json", use_cuda=True)  # ~ missing-visible-devices note
    for text in all_texts():
        engine.tts(text)


if __name__ == "__main__":
    main()
