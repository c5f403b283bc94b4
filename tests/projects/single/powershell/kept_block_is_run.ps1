$pin = { $env:CUDA_VISIBLE_DEVICES = "1" }  # ~ missing-device-order warning
& $pin
python train.py
