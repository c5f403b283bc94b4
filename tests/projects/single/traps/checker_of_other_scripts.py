import pathlib
import re

PATTERNS = {
    "second card": re.compile(r"cuda:1"),
    "pin": re.compile(r"os\.environ\[['\"]CUDA_VISIBLE_DEVICES['\"]\]\s*=\s*['\"]0['\"]"),
}
REPLACEMENTS = [("cuda:1", "cuda:0"), ('device_index=1', 'device_index=0')]

for path in pathlib.Path(".").glob("*.py"):
    text = path.read_text()
    for old, new in REPLACEMENTS:
        text = text.replace(old, new)
    if "cuda:1" in text:
        print(f"{path}: cuda:1 remains")
