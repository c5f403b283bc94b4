$env:CUDA_VISIBLE_DEVICES = "1"  # ~ missing-device-order warning
Start-Process python -ArgumentList "train.py --epochs 3" -NoNewWindow -Wait
