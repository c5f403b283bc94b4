CUDA_VISIBLE_DEVICES=1 vllm serve model  # ~ missing-device-order warning
