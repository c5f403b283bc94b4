import whisper

model = whisper.load_model("base", device="cuda")  # ~ missing-visible-devices warning
