set CUDA_DEVICE_ORDER=PCI_BUS_ID
if "%1"=="second" goto second
set CUDA_VISIBLE_DEVICES=0
goto run
:second
set CUDA_VISIBLE_DEVICES=1
:run
python train.py
