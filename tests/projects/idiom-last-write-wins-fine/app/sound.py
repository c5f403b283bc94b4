"""Sound files, read and written without any GPU."""
import wave


def seconds_of(path):
    with wave.open(str(path)) as sound:
        return sound.getnframes() / sound.getframerate()
