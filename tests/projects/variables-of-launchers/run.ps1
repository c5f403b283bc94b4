$env:PYTORCH_CUDA_ALLOC_CONF = "max_split_size_mb:8"  # ~ alloc-conf-invalid error
./prepare.exe
