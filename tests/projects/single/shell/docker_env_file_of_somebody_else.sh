docker run --gpus all --env-file gpu.list trainer:1 python train.py
