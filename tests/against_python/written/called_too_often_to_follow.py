import os
import torch

found = []


def place(row, taken, held):
    if row == 7:
        found.append(list(taken))
        held[0] += 1
        return
    for column in range(7):
        if all(column != other and abs(column - other) != row - at for at, other in enumerate(taken)):
            taken.append(column)
            place(row + 1, taken, held)
            taken.pop()


held = [0]
place(0, [], held)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(found))
os.environ["CUDA_DEVICE_ORDER"] = str(held[0])
torch.cuda.init()
