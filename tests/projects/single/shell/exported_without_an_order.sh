export CUDA_VISIBLE_DEVICES=0  # ~ missing-device-order warning
python train.py
