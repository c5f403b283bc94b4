export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
# ~^ missing-device-order note
torchrun --nproc-per-node 8 train.py
