cat <<'EOF' | python -
import torch
torch.cuda.init()  # ~ missing-visible-devices warning
EOF
