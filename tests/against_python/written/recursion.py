import os
def walk(t):
    for k, v in t.items():
        if isinstance(v, dict): walk(v)
        else: os.environ[k] = v
walk({"a": {"CUDA_VISIBLE_DEVICES": "1"}, "CUDA_DEVICE_ORDER": "2"})
