$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = "1"
Remove-Item Env:\CUDA_VISIBLE_DEVICES -ErrorAction SilentlyContinue  # ~ pin-removed warning
python train.py
