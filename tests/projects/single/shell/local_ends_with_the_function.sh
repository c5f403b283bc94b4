run() {
    local gpu=1
    CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$gpu python train.py
}
gpu=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6
run
CUDA_VISIBLE_DEVICES=$gpu python train.py
