param([int]$Gpu = 0)
$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = $Gpu
python train.py
