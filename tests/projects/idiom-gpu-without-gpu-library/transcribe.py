"""The card is taken by default where there is one."""
from faster_whisper import WhisperModel

if __name__ == "__main__":
    model = WhisperModel("large-v3", device="cuda")  # ~ missing-visible-devices note
    print(model.transcribe("voice.wav"))
