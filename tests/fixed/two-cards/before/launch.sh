#!/bin/bash
set -euo pipefail
export CUDA_VISIBLE_DEVICES=0
python bench_stt.py "$@"
CUDA_VISIBLE_DEVICES=1 python -m llm.chat
