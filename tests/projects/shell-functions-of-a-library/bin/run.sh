#!/bin/bash
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../lib/gpu.sh"
use_card 1
python "$HERE/../train.py"
TRAIN="$HERE/../train.py"
python "$TRAIN"
