$env:CUDA_VISIBLE_DEVICES = "1"
python bench_stt.py
