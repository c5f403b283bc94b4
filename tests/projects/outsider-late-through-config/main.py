import torch

from config import Config

if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    Config(gpu="1").apply()  # ~ pin-after-cuda-init error
    model = torch.nn.Linear(4, 4).to(device)
