import os
import torch
import importlib
import sys
name = sys.argv[1] if len(sys.argv) > 1 else "fast"
m = importlib.import_module(f"kinds.{name}")
m.run()
