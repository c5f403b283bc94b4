#!/bin/bash
python -u ../train.py
