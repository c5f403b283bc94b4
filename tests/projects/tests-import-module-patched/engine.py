from importlib import import_module


def create(name):
    module = import_module("faster_whisper")
    return module.WhisperModel(name, device="cuda")
