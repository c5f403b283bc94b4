import os

for card in os.environ["CUDA_VISIBLE_DEVICES"].split(","):
    print(int(card))  # ~ mask-parsed-as-int warning
for port in os.environ["PORTS"].split(","):
    print(int(port))
