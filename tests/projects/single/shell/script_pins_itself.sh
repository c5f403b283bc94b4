python pinned.py
CUDA_VISIBLE_DEVICES=0 python pinned.py
