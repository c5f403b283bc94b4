#!/bin/bash
accelerate launch --gpu_ids 1 first.py  # ~ missing-device-order warning
deepspeed --include localhost:0,1 second.py --deepspeed zero.json  # ~ missing-device-order note
deepspeed --num_gpus 2 third.py
CUDA_DEVICE_ORDER=PCI_BUS_ID accelerate launch --gpu_ids=0 --num_processes 1 fourth.py
accelerate launch --gpu_ids all --multi_gpu fifth.py
torchrun --nproc-per-node 2 sixth.py
CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 torchrun --nproc-per-node 1 seventh.py
deepspeed --include "worker-0@worker-1:0,2" eighth.py
CUDA_VISIBLE_DEVICES=0 deepspeed ninth.py  # ~ missing-device-order note
