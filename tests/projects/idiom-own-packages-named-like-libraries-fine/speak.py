from audio import play
from TTS.api import TTS
from utils.platform import WINDOWS

if __name__ == "__main__":
    play(TTS(gpu=True).to("cuda").speak("hello" if WINDOWS else "hi"), device=1)
