$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = "0"
$env:CUDA_VISIBLE_DEVICES = "1"  # ~ conflicting-pins warning
python train.py
