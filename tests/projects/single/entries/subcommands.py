import argparse

import torch


def train(args):
    torch.ones(2).cuda()  # ~ missing-visible-devices warning


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers()
    command = sub.add_parser("train")
    command.set_defaults(func=train)
    args = parser.parse_args()
    if args.func is train:
        train(args)


main()
