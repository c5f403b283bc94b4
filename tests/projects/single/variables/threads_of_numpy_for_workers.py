import multiprocessing
import os

import numpy as np


def main():
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        pool.map(abs, [1, 2])


if __name__ == "__main__":
    main()
