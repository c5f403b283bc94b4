import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # GPU principal


def _load():
    from llama_cpp import Llama
    from tools.cards import require_big_card
    require_big_card()
    return Llama(model_path="model.gguf", n_gpu_layers=-1, main_gpu=0)


def main():
    import torch
    if not torch.cuda.is_available(): raise SystemExit("no GPU")
    with torch.cuda.device(0):
        print(torch.cuda.memory_reserved())
    _load()


main()
