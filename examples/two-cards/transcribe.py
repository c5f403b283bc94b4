"""Transcribes one recording: python transcribe.py meeting.wav"""

import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import argparse

import whisper

from signals import moving_average


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording")
    arguments = parser.parse_args()

    model = whisper.load_model("medium", device="cuda:0")
    samples = moving_average(whisper.load_audio(arguments.recording), width=3)
    print(model.transcribe(samples)["text"])


if __name__ == "__main__":
    main()
