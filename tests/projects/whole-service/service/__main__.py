from service.engine import Engine


def main():
    Engine()


if __name__ == "__main__":
    main()
