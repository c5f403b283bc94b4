import torch

cards = ["3", "1,2"]
last = "%d,%s" % (1, str(len(["0", *()])))
while cards and (card := cards.pop(0)) != last:
    if len(card.split(",")) > 1:
        torch.cuda.init()
