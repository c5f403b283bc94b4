import whisper

model = whisper.load_model("base", device="cpu")
print(model.transcribe("a.wav")["text"])
