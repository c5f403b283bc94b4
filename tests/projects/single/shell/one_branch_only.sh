export CUDA_DEVICE_ORDER=PCI_BUS_ID
if [ -n "$1" ]; then
    export CUDA_VISIBLE_DEVICES="$1"
fi
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices note
