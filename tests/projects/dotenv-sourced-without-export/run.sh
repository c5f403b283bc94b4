#!/bin/bash
. ./.env  # ~ gpu-env-not-exported warning
python train.py
