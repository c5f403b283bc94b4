from llama_cpp import Llama

llm = Llama("m.gguf", n_gpu_layers=-1)  # ~ missing-visible-devices warning
