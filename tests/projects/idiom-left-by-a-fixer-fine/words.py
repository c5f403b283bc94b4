"""Uses no GPU and needs no block."""
from collections import Counter

if __name__ == "__main__":
    print(Counter("to be or not to be".split()).most_common(3))
