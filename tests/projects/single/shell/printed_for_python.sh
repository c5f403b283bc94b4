echo 'import torch; torch.cuda.init()' | python3 -  # ~ missing-visible-devices warning
