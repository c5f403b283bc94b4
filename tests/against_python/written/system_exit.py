import os, sys, torch
if len(sys.argv) > 1:
    raise SystemExit
torch.cuda.init()
