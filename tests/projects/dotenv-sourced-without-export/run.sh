#!/bin/bash
. ./.env
python train.py
