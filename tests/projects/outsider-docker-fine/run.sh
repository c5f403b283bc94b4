#!/bin/bash
docker run --rm --gpus all -e NVIDIA_VISIBLE_DEVICES=all trainer
docker run --rm --gpus '"device=1"' trainer python train.py
docker run --rm --gpus 2 trainer
