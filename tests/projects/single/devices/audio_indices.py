import pyaudio
import sounddevice as sd
import speech_recognition as sr
from pvrecorder import PvRecorder

microphone = sr.Microphone(device_index=1)
recorder = PvRecorder(device_index=1, frame_length=512)
info = pyaudio.PyAudio().get_device_info_by_index(1)
stream = sd.InputStream(device=1, channels=1)
other = sd.OutputStream(device="hw:1,0")
sd.play([0.0], device=2)
