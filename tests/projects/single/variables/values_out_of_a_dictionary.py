import os

CONFIG = {"gpu": 0, "order": "PCI_BUS_ID", "threads": 2}
os.environ["CUDA_DEVICE_ORDER"] = CONFIG["order"]
os.environ["CUDA_VISIBLE_DEVICES"] = CONFIG["gpu"]  # ~ env-value-not-string error
os.environ["WORKERS"] = CONFIG.get("threads")  # ~ env-value-not-string error
