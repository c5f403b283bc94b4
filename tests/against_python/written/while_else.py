import os
n = 10
while n > 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    if n == 16: break
else:
    n = -1
os.environ["CUDA_VISIBLE_DEVICES"] = str(n)
