pip install torch==2.4.1+cu121 --index-url https://download.pytorch.org/whl/cu121  # ~ wheel-lacks-architecture warning
