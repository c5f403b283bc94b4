if [ $# -lt 1 ]; then
    echo "usage: $0 GPU"
    exit 1
fi
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES="$1"
python train.py
