import argparse
import os


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=str, default="0")
    parser.add_argument("--port", type=int, default=29500)
    parser.add_argument("--debug", action="store_true")
    return parser.parse_args()


args = options()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpus
os.environ["MASTER_PORT"] = args.port  # ~ env-value-not-string error
os.environ["DEBUG"] = str(args.debug)
