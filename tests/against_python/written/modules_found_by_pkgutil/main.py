import os
import torch
import pkg
