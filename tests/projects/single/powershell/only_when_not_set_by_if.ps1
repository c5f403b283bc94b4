if (-not $env:CUDA_DEVICE_ORDER) { $env:CUDA_DEVICE_ORDER = "PCI_BUS_ID" }
if ($null -eq $env:CUDA_VISIBLE_DEVICES) { $env:CUDA_VISIBLE_DEVICES = "1" }
python train.py
