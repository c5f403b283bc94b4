#!/bin/bash
# Measured, and then not used.
BEST=$(nvidia-smi --query-gpu=index --format=csv,noheader | head -1)
python late.py
