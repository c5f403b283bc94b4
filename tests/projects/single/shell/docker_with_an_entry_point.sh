docker run --gpus all --entrypoint python trainer:1 -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
