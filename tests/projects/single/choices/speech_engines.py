import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import ctranslate2
import faster_whisper
import whisper
import whisperx

faster_whisper.WhisperModel("large", device="cuda", device_index=1)  # ~ device-outside-mask error
faster_whisper.WhisperModel("large", device="cuda", device_index=[0])
faster_whisper.WhisperModel("large", device="cuda", cpu_threads=1, num_workers=1)
ctranslate2.Translator("model", "cuda", device_index=1)  # ~ device-outside-mask error
ctranslate2.Generator("model", device="cpu", inter_threads=1)
whisper.load_model("base", device="cuda:1")  # ~ device-outside-mask error
whisperx.load_model("large", "cuda", device_index=1)  # ~ device-outside-mask error
