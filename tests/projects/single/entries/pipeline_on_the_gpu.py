from transformers import pipeline

generate = pipeline("text-generation", model="gpt2", device=0)  # ~ missing-visible-devices warning
