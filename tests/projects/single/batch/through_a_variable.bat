set GPU=1
set CUDA_VISIBLE_DEVICES=%gpu%
rem # ~^ missing-device-order warning
python train.py
