import argparse

from engine import Engine  # ~ missing-visible-devices error, missing-device-order error


def main():
    Engine().start()


if __name__ == "__main__":
    main()
