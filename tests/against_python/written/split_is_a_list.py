import os

cards = "0,1".split(",")
cards[:] = ["2"]
cards.append("3")
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cards)
