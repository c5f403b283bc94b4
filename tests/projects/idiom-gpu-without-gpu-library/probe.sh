python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices note
