import os

mask = os.environ.get("CUDA_VISIBLE_DEVICES", "7")
order = os.environ.get("CUDA_DEVICE_ORDER", "FASTEST")
print(f"running on {mask} in {order}")
