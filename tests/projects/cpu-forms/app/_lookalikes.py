import torchlite
import torch_geometric_stub
from .torch_tools import helper
from numba import types
import cupyx_stub
