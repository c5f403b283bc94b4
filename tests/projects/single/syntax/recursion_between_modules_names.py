import os


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    if n == 0:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return False
    return even(n - 1)


print("no GPU", even(4))
