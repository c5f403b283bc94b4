from transformers import pipeline

recognise = pipeline("automatic-speech-recognition")
