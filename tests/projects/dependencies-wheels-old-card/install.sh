pip install torch==2.12.1  # ~ wheel-lacks-architecture warning
uv pip install torch==2.12.1 --torch-backend=auto
