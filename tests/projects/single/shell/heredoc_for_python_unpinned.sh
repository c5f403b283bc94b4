python3 <<'EOF'
import torch
torch.cuda.init()  # ~ missing-visible-devices warning
EOF
