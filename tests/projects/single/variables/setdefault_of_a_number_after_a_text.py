import os

os.environ["OMP_NUM_THREADS"] = "4"
os.environ.setdefault("OMP_NUM_THREADS", 8)
os.environ.setdefault("MASTER_PORT", 29500)  # ~ env-value-not-string error
