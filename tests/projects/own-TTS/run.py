from TTS.api import TTS

TTS("voice", gpu=True).to("cuda:1")
