import os


def choose(card):
    import east

    os.environ["CUDA_VISIBLE_DEVICES"] = card


choose("1")
