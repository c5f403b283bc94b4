docker run --rm -it trainer:1 python -c "import torch; torch.cuda.init()"
