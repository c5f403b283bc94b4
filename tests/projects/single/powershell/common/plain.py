import json

print(json.dumps({"device": "cuda"}))
