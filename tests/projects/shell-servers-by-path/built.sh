#!/bin/bash
./build/bin/llama-server -m model.gguf -ngl 99  # ~ missing-visible-devices note
