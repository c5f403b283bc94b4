$env:CUDA_VISIBLE_DEVICES = "1"  # ~ missing-device-order warning
$p = Start-Process -FilePath "python" -ArgumentList @("-u", "train.py") -PassThru
