@echo off
set CUDA_DEVICE_ORDER=PCI_BUS_ID
call :pin 1
python train.py
exit /b 0

:pin
set CUDA_VISIBLE_DEVICES=%~1
goto :eof
