"""Run with CUDA_VISIBLE_DEVICES=1 python this.py, or torch.zeros(1, device="cuda:1")."""
import re

# torch.cuda.set_device(1)
# os.environ["CUDA_VISIBLE_DEVICES"] = "7"
HELP = """
import torch
torch.cuda.set_device(1)
"""
PATTERNS = [r"cuda:[1-9]", "torch.cuda.set_device(1)", 'device="cuda:1"']
FORBIDDEN = {"cuda:1", "cuda:2"}
print("use cuda:1 with care, or os.environ['CUDA_VISIBLE_DEVICES'] = '1'")
if re.search(PATTERNS[0], HELP):
    raise ValueError("cuda:1 is not allowed; set device to cuda:0")
