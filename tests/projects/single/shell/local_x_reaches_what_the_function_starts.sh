run() {
    local -x CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1
    python train.py
}
run
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
