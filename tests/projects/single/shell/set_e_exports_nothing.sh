set -euo pipefail
CUDA_VISIBLE_DEVICES=0  # ~ gpu-env-not-exported warning
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
