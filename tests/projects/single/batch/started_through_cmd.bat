cmd /c "set CUDA_VISIBLE_DEVICES=1&& python train.py"
rem # ~^ missing-device-order warning
