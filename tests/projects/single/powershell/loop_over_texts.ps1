$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
foreach ($g in @("0", "1")) { $env:CUDA_VISIBLE_DEVICES = $g; python train.py }
