import os
import sys

cards = [card for card in ("1", "2") if len(sys.argv) > 1] or ["3"]
os.environ["CUDA_VISIBLE_DEVICES"] = cards[0]
