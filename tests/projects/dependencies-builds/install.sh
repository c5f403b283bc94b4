pip install torch==2.5.1+cu121 torchaudio==2.5.1+cu124  # ~ cuda-runtime-mismatch warning
