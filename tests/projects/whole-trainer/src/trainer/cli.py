import argparse

from .environment import prepare
from .settings import Settings


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=1)
    arguments = parser.parse_args()
    settings = Settings(batch=arguments.batch)
    prepare(settings)

    from .loop import run

    run(settings)
