import torch
from model import Model
import gpu_env

Model()
