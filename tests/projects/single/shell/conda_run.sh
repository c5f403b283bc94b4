export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
conda run -n gpu --no-capture-output python train.py
