set CUDA_DEVICE_ORDER=PCI_BUS_ID
for /l %%g in (0,1,3) do set CUDA_VISIBLE_DEVICES=%%g& python train.py
