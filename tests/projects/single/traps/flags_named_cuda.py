import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
device = "cuda" if args.cuda else "cpu"
print(args.cuda, "cuda" in device, device)
