0..3 | ForEach-Object { $env:CUDA_VISIBLE_DEVICES = $_; python train.py }  # ~ missing-device-order warning
