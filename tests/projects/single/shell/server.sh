ollama serve &  # ~ missing-visible-devices warning
sleep 5
curl localhost:11434
