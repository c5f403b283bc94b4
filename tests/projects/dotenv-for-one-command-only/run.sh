#!/bin/sh
uv run --env-file .env python train.py
python train.py
