#!/bin/sh
export CUDA_VISIBLE_DEVICES=0
exec python tools/serve.py
