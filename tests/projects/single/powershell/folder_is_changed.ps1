$env:CUDA_VISIBLE_DEVICES = "1"  # ~ missing-device-order warning
Push-Location ..
Pop-Location
Set-Location .\sub
python ..\train.py
