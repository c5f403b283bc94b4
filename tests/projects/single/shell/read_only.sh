if [ -n "$CUDA_VISIBLE_DEVICES" ]; then echo "using $CUDA_VISIBLE_DEVICES"; fi
nvidia-smi -i "$CUDA_VISIBLE_DEVICES"
