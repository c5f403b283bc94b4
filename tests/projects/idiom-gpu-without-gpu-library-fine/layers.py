"""No layer on the GPU is no GPU."""
import llama_cpp

if __name__ == "__main__":
    model = llama_cpp.Llama("model.gguf", n_gpu_layers=0)
    print(model("hello"))
