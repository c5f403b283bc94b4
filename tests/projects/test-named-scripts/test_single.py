import argparse

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    model = torch.load(parser.parse_args().weights, map_location="cpu")
    model.cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    main()
