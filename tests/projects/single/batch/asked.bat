set CUDA_DEVICE_ORDER=PCI_BUS_ID
set /p CUDA_VISIBLE_DEVICES=Which card?
python train.py
