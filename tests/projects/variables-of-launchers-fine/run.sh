#!/bin/bash
# PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=128
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,roundup_power2_divisions:[256:1,512:2,\>:8]
export PYTORCH_NO_CUDA_MEMORY_CACHING=${NO_CACHING:-}
export CUDA_LAUNCH_BLOCKING="${DEBUG:-0}"
export PYTORCH_ENABLE_MPS_FALLBACK=1
echo "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=128 is wrong"
PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:64" ./prepare
