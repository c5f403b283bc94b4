import os
import runpy
import torch
runpy.run_module("job")
import job
runpy.run_module("job")
torch.cuda.init()
