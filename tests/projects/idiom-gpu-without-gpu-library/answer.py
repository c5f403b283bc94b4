"""Layers on the GPU are a GPU."""
import llama_cpp

if __name__ == "__main__":
    model = llama_cpp.Llama("model.gguf", n_gpu_layers=-1)  # ~ missing-visible-devices warning
    print(model("hello"))
