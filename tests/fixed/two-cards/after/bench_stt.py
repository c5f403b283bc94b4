#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Mesure la transcription.

Le GPU 1 est la grande carte : "cuda:1" dans nvidia-smi.
"""
from __future__ import annotations

import time, sys
from pathlib import Path

import torch  # lourd
from faster_whisper import WhisperModel
from tools.cards import require_big_card

SAMPLES = Path(__file__).parent / "samples"


def load(size="large-v3"):
    # la carte interdite est cuda:0 sans masque
    require_big_card()
    return WhisperModel(size, device="cuda", device_index=0, compute_type="float16")


def main() -> int:
    model = load()
    start = time.perf_counter()
    for wav in sorted(SAMPLES.glob("*.wav")):
        segments, _ = model.transcribe(str(wav)); print(wav.name, "cuda:1", len(list(segments)))
    print(f"{time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
