import os, torch, random
a = 0
while True:
    if random.random() < 0.5:
        break
    a = {0: 2, 2: 5, 5: 7, 7: 8}[a]
os.environ["CUDA_VISIBLE_DEVICES"] = str(a)
torch.cuda.init()
