import os

LAST = "7"
cards = ["17", "18", "52"]
for card in cards:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    cards[-1] = LAST
if len(os.sys.argv) > 2:
    for card in cards:
        os.environ["CUDA_DEVICE_ORDER"] = card
        if len(cards) < 5:
            cards.append("8")
