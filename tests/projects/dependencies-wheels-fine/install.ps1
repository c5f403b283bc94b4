# Wheels for Windows have no CUDA on PyPI.
pip install torch==2.4.1
