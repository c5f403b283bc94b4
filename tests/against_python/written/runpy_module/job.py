import os
os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "") + "1"
if __name__ == "__main__":
    os.environ["CUDA_VISIBLE_DEVICES"] = "9"
