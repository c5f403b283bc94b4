if (-not $args) { Write-Error "which card?"; exit 1 }
$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = $args[0]
python train.py
