from transformers import pipeline

recognise = pipeline("automatic-speech-recognition")  # ~ gpu-object-at-import warning
