import env

env.pin()
import torch
