export CUDA_DEVICE_ORDER=PCI_BUS_ID
if [ "$1" = "second" ]; then
    export CUDA_VISIBLE_DEVICES=1
else
    export CUDA_VISIBLE_DEVICES=0
fi
python train.py
