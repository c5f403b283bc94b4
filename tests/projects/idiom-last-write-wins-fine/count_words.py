"""Counts words; needs no card."""
import os
import sys

if __name__ == "__main__":
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    print(len(sys.stdin.read().split()))
