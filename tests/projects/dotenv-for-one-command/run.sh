#!/bin/sh
uv run --env-file .env python train.py
uv run --env-file=.env train.py --again
dotenv run -- python train.py
