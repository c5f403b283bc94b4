#!/bin/bash
set -e
export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
cd "$(dirname "$0")/jobs"
./train.sh "$@"
