python -c "import torch; torch.cuda.init()" & rem # ~ missing-visible-devices warning
