import prometheus_client

used = prometheus_client.Gauge("used", "bytes", ["device"])
used.labels(device="cuda:1").set(3)
used.labels("cuda:1").set(4)
print({"metric": "cuda:1", "value": 1})
