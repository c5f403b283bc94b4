New-Item -Path Env: -Name CUDA_VISIBLE_DEVICES -Value 1 -Force | Out-Null  # ~ missing-device-order warning
python train.py
