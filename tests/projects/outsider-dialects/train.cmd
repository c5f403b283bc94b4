@echo off
CUDA_VISIBLE_DEVICES=0 python train.py
rem # ~^ shell-dialect-mismatch error
