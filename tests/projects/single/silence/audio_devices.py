import pyaudio
import sounddevice as sd

sd.default.device = 1
sd.play([0.0], device=1)
audio = pyaudio.PyAudio()
audio.open(input_device_index=1, output_device_index=2)
sd.query_devices(1)
