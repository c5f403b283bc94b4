import os
import torch
COMMANDS = {}
def command(name=None):
    def deco(f):
        COMMANDS[name or f.__name__] = f
        return f
    return deco
@command()
def train(card="0"):
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    torch.cuda.init()
@command("eval")
def evaluate():
    torch.cuda.current_device()
def main(argv):
    name, *rest = argv
    kwargs = dict(a.lstrip("-").split("=") for a in rest)
    COMMANDS[name](**kwargs)
main(["train", "--card=3"])
