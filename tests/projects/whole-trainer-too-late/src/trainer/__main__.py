from .environment import prepare
from .model import build


def main():
    prepare()
    print(build())


if __name__ == "__main__":
    main()
