import argparse

from analysis import report


def main():
    report.show()


if __name__ == "__main__":
    main()
