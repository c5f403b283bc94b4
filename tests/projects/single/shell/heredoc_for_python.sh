export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
python - "$@" <<'EOF' > log.txt
import torch
torch.cuda.init()
EOF
