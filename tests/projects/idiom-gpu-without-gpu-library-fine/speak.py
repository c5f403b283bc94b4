"""The speech engine stays on the CPU."""
from TTS.utils.synthesizer import Synthesizer

from voice.texts import all_texts


def main():
    engine = Synthesizer("tts.pth", "tts.json", use_cuda=False)
    for text in all_texts():
        engine.tts(text)


if __name__ == "__main__":
    main()
