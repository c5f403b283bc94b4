import os
import torch
import pkg
pkg.load("one").run()
