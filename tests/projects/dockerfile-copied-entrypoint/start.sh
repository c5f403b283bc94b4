#!/bin/sh
export CUDA_VISIBLE_DEVICES=
exec "$@"
