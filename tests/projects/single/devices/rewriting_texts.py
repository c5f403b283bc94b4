import re
import sys

device = sys.argv[1]
if device == "cuda:1":
    device = "cuda:0"
device = device.replace("cuda:1", "cuda:0")
text = re.sub(r"cuda:1", "cuda:0", device)
print(text, "cuda:1" in text, {"cuda:1": "display", "cuda:0": "compute"}[text])
