set CUDA_DEVICE_ORDER=PCI_BUS_ID
if /i "%1"=="second" (set CUDA_VISIBLE_DEVICES=1) else (set CUDA_VISIBLE_DEVICES=0)
python train.py
