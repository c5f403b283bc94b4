from performance import to_gpu
