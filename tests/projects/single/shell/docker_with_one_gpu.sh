docker run --rm --gpus '"device=1"' trainer:1 python train.py
