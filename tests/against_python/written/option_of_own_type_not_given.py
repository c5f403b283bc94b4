import argparse

import torch


def card_of(text):
    torch.cuda.init()
    return int(text)


class Use(argparse.Action):
    def __call__(self, parser, namespace, values, option=None):
        torch.cuda.current_device()


parser = argparse.ArgumentParser()
parser.add_argument("--card", type=card_of)
parser.add_argument("--use", action=Use)
parser.parse_args([])
