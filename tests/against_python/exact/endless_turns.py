import os
import torch


def wait(jobs, turn):
    left = list(jobs)
    now = 0
    while True:
        done = True
        for at, job in enumerate(left):
            if job > 0:
                done = False
                now += min(job, turn)
                left[at] = max(job - turn, 0)
        if done is True:
            return now


os.environ["CUDA_VISIBLE_DEVICES"] = str(wait([10, 5, 8], 2))
torch.cuda.init()
