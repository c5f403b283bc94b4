import os

import torch

config = {"hardware": {"gpus": [{"id": 0, "use": False}, {"id": 2, "use": True}]}}
config["hardware"]["gpus"][0]["use"] = True
config["hardware"]["gpus"].append({"id": 5, "use": False})
used = [str(g["id"]) for g in config["hardware"]["gpus"] if g["use"]]
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(used)
torch.cuda.init()
