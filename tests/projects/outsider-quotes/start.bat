@echo off
set CUDA_DEVICE_ORDER=PCI_BUS_ID
set CUDA_VISIBLE_DEVICES="1"
rem # ~^ quotes-kept-by-shell error
python serve.py
