docker run --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=1 trainer:1 python train.py
