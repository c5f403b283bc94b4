ollama.exe serve
rem # ~^ missing-visible-devices warning
