#!/bin/bash
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0
/usr/local/bin/ollama serve
