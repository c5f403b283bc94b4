set CUDA_DEVICE_ORDER=PCI_BUS_ID
set GPU=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6
(
    set GPU=1
    set CUDA_VISIBLE_DEVICES=%GPU%
)
python train.py
