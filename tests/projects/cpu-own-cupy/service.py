from torch import helper
from lib import torch
