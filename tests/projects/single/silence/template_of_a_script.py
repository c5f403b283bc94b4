from pathlib import Path
from string import Template

SCRIPT = Template("""
import os
os.environ["CUDA_VISIBLE_DEVICES"] = "$card"
import torch
torch.cuda.set_device($card)
""")
Path("run.py").write_text(SCRIPT.substitute(card=1))
