import os

os.environ["CUDA_HOME"] = "/opt/cuda"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MY_CUDA_VISIBLE_DEVICES"] = "1"
os.environ["DEVICE"] = "1"
del os.environ["CUDA_HOME"]
