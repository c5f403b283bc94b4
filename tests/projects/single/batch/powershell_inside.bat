powershell -NoProfile -ExecutionPolicy Bypass -Command "$env:CUDA_VISIBLE_DEVICES='1'; python train.py"
rem # ~^ missing-device-order warning
