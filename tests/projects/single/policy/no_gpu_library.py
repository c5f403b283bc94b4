import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:0")
print(json.dumps(vars(parser.parse_args())))
