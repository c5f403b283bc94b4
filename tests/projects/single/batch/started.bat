set CUDA_VISIBLE_DEVICES=1
rem # ~^ missing-device-order warning
start "train it" /b /wait python train.py
