$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = "0"
python train.py
Write-Host "On Linux: CUDA_VISIBLE_DEVICES=0 python train.py"
