import os

import torch

card, name = 5, "x"
os.environ["CUDA_VISIBLE_DEVICES"] = f"{card:03d}{name:>3}{name!r}{card!r:>4}{card:+}"
os.environ["CUDA_VISIBLE_DEVICES"] = "{:>3}|{name:<2}|{0:x}".format(12, name="n")
os.environ["CUDA_VISIBLE_DEVICES"] = "%s-%02d-%%-%(x)s" % {"x": 1} if False else "%s-%02d-%%" % ("a", card)
os.environ["CUDA_VISIBLE_DEVICES"] = "%(kind)s:%(card)3d" % {"kind": "cuda", "card": card}
os.environ["CUDA_VISIBLE_DEVICES"] = "%s" % [0, 1]
os.environ["CUDA_VISIBLE_DEVICES"] = format(card, "b") + repr(name) + str([card, name])[1:-1]
torch.cuda.init()
