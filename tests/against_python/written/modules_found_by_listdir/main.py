import os
import torch
import models
models.build("one")
