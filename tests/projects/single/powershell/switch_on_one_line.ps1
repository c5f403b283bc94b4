$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
switch ($args[0]) { 'a' { $env:CUDA_VISIBLE_DEVICES = "1" } 'b' { $env:CUDA_VISIBLE_DEVICES = "0" } default { exit 1 } }
python train.py
