def setup_gpu():
    print("using CUDA_VISIBLE_DEVICES from the shell")
