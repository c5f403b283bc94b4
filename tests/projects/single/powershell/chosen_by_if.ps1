$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = if ($Second) { "1" } else { "0" }
python train.py
