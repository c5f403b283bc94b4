cat > train_job.py <<'EOF'
import os
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
import torch
torch.cuda.init()
EOF
