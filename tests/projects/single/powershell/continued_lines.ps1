$env:CUDA_VISIBLE_DEVICES = "1"  # ~ missing-device-order warning
python `
    train.py `
    --epochs 3
