from faster_whisper import WhisperModel

model = WhisperModel("large-v3", device="cuda", compute_type="float16")  # ~ missing-visible-devices warning
segments, info = model.transcribe("a.wav")
