export CUDA_DEVICE_ORDER=PCI_BUS_ID
if [[ -z ${CUDA_VISIBLE_DEVICES+x} ]]; then
    export CUDA_VISIBLE_DEVICES=0
fi
python train.py
