import os, torch
def cmd_gpu(): os.environ["CUDA_VISIBLE_DEVICES"] = "1"
globals()["cmd_gpu"]()
torch.cuda.init()
