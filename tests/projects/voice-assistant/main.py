from core import gpu_env
from core.speech import Speaker


def main():
    speaker = Speaker()
    print(speaker.device)


if __name__ == "__main__":
    main()
