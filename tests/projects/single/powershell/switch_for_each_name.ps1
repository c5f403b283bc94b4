$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
switch ($env:COMPUTERNAME) {
    "BIG" { $env:CUDA_VISIBLE_DEVICES = "1" }
    default { $env:CUDA_VISIBLE_DEVICES = "0" }
}
python train.py
