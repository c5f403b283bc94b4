from tool.engine import run


def main():
    run()  # ~ missing-visible-devices warning
