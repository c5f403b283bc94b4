import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import gpu_env
from core.speech import Speaker

Speaker()
