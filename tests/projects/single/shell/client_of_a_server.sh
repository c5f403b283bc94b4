ollama list
ollama pull llama3
vllm --version
