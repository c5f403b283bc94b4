SETTINGS = {
    "tts_device": "cuda:1",  # ~ device-not-allowed error
    "device": "cuda:1",  # ~ device-not-allowed error
    "device_name": "cuda:1 RTX 5060 Ti",
    "description": "cuda:1",
    "note": "never cuda:1",
    "device_count": 2,
    "device": "cuda",
    "stt_device": "cpu",
    "whisper": {"device": "cuda:1"},  # ~ device-not-allowed error
}
print(SETTINGS)
