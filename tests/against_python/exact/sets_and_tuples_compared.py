import os
import torch
s = {1, 2, 3}
s.add(4)
s |= {7}
t = s & {2, 4, 9}
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, sorted(t)))
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, sorted(s - t))) + str(len(s ^ t))
if {2} <= s and s >= t and s != t:
    torch.cuda.init()
if [1, 2] == [1, 2] and (1, 2) < (1, 3) and (8, 0) >= (7, 5) and [1] != [2]:
    torch.cuda.current_device()
