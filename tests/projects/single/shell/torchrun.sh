export CUDA_VISIBLE_DEVICES=0,1  # ~ missing-device-order warning
torchrun --standalone --nproc_per_node=2 train.py --lr 0.1
