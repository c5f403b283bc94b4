if ([string]::IsNullOrEmpty($env:CUDA_DEVICE_ORDER)) { $env:CUDA_DEVICE_ORDER = "PCI_BUS_ID" }
if (-not (Test-Path Env:CUDA_VISIBLE_DEVICES)) { $env:CUDA_VISIBLE_DEVICES = "1" }
python train.py
