$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = "1"
$env:CUDA_VISIBLE_DEVICES = $null  # ~ pin-removed warning
python train.py
