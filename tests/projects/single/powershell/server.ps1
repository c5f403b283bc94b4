ollama serve  # ~ missing-visible-devices warning
