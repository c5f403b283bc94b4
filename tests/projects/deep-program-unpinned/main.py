import sys

from service.app import create_app


def main():
    app = create_app("cuda")  # ~ missing-visible-devices warning
    return app.run()


if __name__ == "__main__":
    sys.exit(main())
