#!/bin/bash
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=128  # ~ alloc-conf-invalid error
export PYTORCH_NO_CUDA_MEMORY_CACHING=yes  # ~ no-caching-switch-misused warning
export CUDA_LAUNCH_BLOCKING=1  # ~ launch-blocking-committed note
export PYTORCH_ENABLE_MPS_FALLBACK=on  # ~ mps-fallback-too-late warning
export OMP_NUM_THREADS=4
./prepare
