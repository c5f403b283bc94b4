$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"; $env:CUDA_VISIBLE_DEVICES = "1"
Remove-Item .\CUDA_VISIBLE_DEVICES -Recurse
python train.py
