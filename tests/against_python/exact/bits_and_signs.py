import os

bits = 5 & (1 | 2)
os.environ["CUDA_VISIBLE_DEVICES"] = str(bits + (1 << 1) + (4 >> 2) + (5 ^ 4))
os.environ["CUDA_VISIBLE_DEVICES"] = str(-7 // 2) + str(-7 % 3) + str(7 // -2) + str(7 % -3)
os.environ["CUDA_VISIBLE_DEVICES"] = str(2 ** 3)
