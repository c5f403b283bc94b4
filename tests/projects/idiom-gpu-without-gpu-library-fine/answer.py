"""num_gpu counts layers, and 1 is no second card."""
import json
from urllib.request import Request, urlopen

OPTIONS = {"model": "llama3", "options": {"num_gpu": 1, "num_ctx": 4096}}

if __name__ == "__main__":
    request = Request("http://localhost:11434/api/generate", json.dumps(OPTIONS).encode())
    print(urlopen(request).read())
