from prometheus_client import Gauge

MEMORY = Gauge("gpu_memory_bytes", "memory in use", ["device"])
MEMORY.labels(device="cuda:1").set(0)
