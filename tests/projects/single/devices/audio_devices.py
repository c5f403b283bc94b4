import pyaudio
import sounddevice as sd

sd.default.device = 1
sd.rec(16000, samplerate=16000, channels=1, device=1)
stream = pyaudio.PyAudio().open(format=8, channels=1, rate=16000, input=True, input_device_index=1)
config = {"audio_device": 1, "input_device": 2, "output_device": 1}


def record(seconds, device=1, input_device_index=1):
    return sd.rec(int(seconds * 16000), device=device)
