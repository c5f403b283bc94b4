import os
import torch
import enum
class Mode(enum.Enum):
    TRAIN = enum.auto()
    TEST = enum.auto()
def run(mode):
    if mode == Mode.TRAIN:
        torch.cuda.init()
    elif mode is Mode.TEST:
        torch.cuda.current_device()
run(Mode.TEST)
TABLE = {Mode.TRAIN: "1", Mode.TEST: "2"}
os.environ["CUDA_VISIBLE_DEVICES"] = TABLE[Mode.TEST]
if Mode["TRAIN"] is Mode.TRAIN:
    torch.zeros(1).cuda()
