set CUDA_VISIBLE_DEVICES=1
rem # ~^ missing-device-order warning
python train.py
