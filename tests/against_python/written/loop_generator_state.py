import os, random, sys, torch
def words():
    word = "a"
    for _ in range(len(sys.argv) + 2):
        word = word + "b"
        yield word
os.environ["CUDA_VISIBLE_DEVICES"] = list(words())[-1]
torch.cuda.init()
