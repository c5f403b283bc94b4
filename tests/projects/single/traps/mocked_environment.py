import os
from unittest import mock

import torch

with mock.patch("torch.cuda.is_available", return_value=True):
    print("cuda" if torch.cuda.is_available() else "cpu")
