from .environment import prepare
from .model import build


def main():
    prepare()  # ~ pin-after-cuda-init error
    print(build())


if __name__ == "__main__":
    main()
