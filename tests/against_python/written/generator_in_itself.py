import os


def settings(number):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(number)
    if number:
        list(settings(number - 1))
    yield number


list(settings(1))
