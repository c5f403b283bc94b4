import os, torch
def gen():
    yield "1"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield "2"
for i, q in enumerate(gen()):
    torch.cuda.init()
