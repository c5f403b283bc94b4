from core import engine


def main():
    return engine.run()
