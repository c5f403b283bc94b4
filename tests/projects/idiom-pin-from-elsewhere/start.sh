#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=1
python started.py
