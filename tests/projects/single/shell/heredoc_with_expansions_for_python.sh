GPU=${1:-0}
python <<EOF
import os
os.environ["CUDA_VISIBLE_DEVICES"] = "${GPU}"
import torch
torch.cuda.init()
EOF
