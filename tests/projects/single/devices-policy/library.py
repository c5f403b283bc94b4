def load(path, device="cuda:1"):  # ~ device-not-allowed error
    import torch

    return torch.load(path, map_location=device)


def right(path, device="cuda"):
    import torch

    return torch.load(path, map_location=device).to("cuda:0")


CONFIG = {"tts_device": "cuda:1", "stt_device": "cuda:0", "vad_device": "cpu"}  # ~ device-not-allowed error
