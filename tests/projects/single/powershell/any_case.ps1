$Env:Cuda_Visible_Devices = "1"  # ~ missing-device-order warning
PYTHON.exe train.py
