Set-Item Env:CUDA_DEVICE_ORDER PCI_BUS_ID
Set-Item -Path Env:\CUDA_VISIBLE_DEVICES -Value 1
python train.py
