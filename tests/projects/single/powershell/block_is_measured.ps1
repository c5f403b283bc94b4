$env:CUDA_VISIBLE_DEVICES = "1"  # ~ missing-device-order warning
Measure-Command { python train.py }
