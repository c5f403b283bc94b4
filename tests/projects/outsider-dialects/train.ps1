CUDA_VISIBLE_DEVICES=0 python train.py  # ~ shell-dialect-mismatch error
set CUDA_VISIBLE_DEVICES=0  # ~ shell-dialect-mismatch error
