CUDA_VISIBLE_DEVICES="" python train.py
CUDA_VISIBLE_DEVICES=-1 python train.py
