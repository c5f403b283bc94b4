"""What this machine is."""
import sys

WINDOWS = sys.platform == "win32"
