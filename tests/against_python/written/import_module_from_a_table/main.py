import os
import torch
from tools import backend
backend.get("gpu").start()
