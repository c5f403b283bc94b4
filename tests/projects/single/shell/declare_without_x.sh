declare CUDA_VISIBLE_DEVICES=1  # ~ gpu-env-not-exported warning
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
