docker run --rm -it --gpus all -v "$PWD:/app" -w /app trainer:1 python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
