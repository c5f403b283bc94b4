import os


def chosen(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    return True


any(filter(chosen, ["1", "2"]))
