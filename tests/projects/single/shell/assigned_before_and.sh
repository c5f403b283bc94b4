CUDA_VISIBLE_DEVICES=1 && python -c "import torch; torch.cuda.init()"  # ~ gpu-env-not-exported warning, missing-visible-devices warning
