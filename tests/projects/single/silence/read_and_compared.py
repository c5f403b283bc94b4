import os

mask = os.environ.get("CUDA_VISIBLE_DEVICES", "1")
if mask != "1" and os.getenv("CUDA_DEVICE_ORDER") == "FASTEST_FIRST":
    print("another card", mask)
for name, value in os.environ.items():
    if name == "CUDA_VISIBLE_DEVICES":
        print(value)
