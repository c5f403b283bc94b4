setlocal EnableDelayedExpansion
(
    set GPU=1
    set CUDA_VISIBLE_DEVICES=!GPU!
    rem # ~^ missing-device-order warning
)
python train.py
