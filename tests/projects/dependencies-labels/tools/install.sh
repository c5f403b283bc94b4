#!/bin/sh
set -e
python3 -m pip install --upgrade pip
pip install -q 'torch>=2.0+cu118' numpy  # ~ local-version-range error
uv pip install "torch~=2.1+cu121" --system  # ~ local-version-range error
uv add "torch>2.1+cu121"  # ~ local-version-range error
sudo pip3.11 install "torchaudio>=2.1+cu121"  # ~ local-version-range error
