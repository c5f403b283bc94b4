import os
import runpy
import torch
runpy.run_path(os.path.join(os.path.dirname(__file__), "job.py"))
torch.cuda.init()
