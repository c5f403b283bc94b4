from env import pin

pin()
import torch
