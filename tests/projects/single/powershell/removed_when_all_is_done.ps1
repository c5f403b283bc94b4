$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"; $env:CUDA_VISIBLE_DEVICES = "1"
try { python train.py } finally { Remove-Item Env:CUDA_VISIBLE_DEVICES }
