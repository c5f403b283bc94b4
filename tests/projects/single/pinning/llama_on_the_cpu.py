from llama_cpp import Llama

llm = Llama("m.gguf", n_gpu_layers=0)
