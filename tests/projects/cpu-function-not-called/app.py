from backend import load


def main():
    return load("auto")
