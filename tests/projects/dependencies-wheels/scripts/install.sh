pip install torch==2.6.0 torchvision  # ~ wheel-lacks-architecture warning
pip install torch --index-url https://download.pytorch.org/whl/cu118  # ~ wheel-lacks-architecture warning
pip install --no-deps torch==2.7.0  # ~ wheel-lacks-architecture warning
