for %%g in (0 1) do (
    set CUDA_VISIBLE_DEVICES=%%g
    rem # ~^ missing-device-order warning
    python train.py
)
