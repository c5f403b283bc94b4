#!/bin/sh
# pip install "torch>=2.0+cu118"
echo 'pip install "torch>=2.0+cu118"'
cat <<TEXT
pip install "torch>=2.0+cu118"
TEXT
pip install torch==2.0.0+cu118 --index-url https://download.pytorch.org/whl/cu118
pip uninstall -y "torch>=2.0+cu118"
pip install torch>=2.0+cu118
pip install "torch>=2.0,$EXTRA+cu118"
pip show 'torch>=2.0+cu118'
