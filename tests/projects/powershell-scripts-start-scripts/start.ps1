param([string]$Gpu = "0")
$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
.\run.ps1 -Card "1"
