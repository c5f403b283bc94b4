HELP = "pip install torch; import torch"


def show():
    print(HELP)
