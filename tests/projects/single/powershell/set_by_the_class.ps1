[Environment]::SetEnvironmentVariable("CUDA_DEVICE_ORDER", "PCI_BUS_ID", "Process")
[System.Environment]::SetEnvironmentVariable('CUDA_VISIBLE_DEVICES', '1')
python train.py
