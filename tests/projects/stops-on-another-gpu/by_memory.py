import torch

if torch.cuda.get_device_properties(0).total_memory < 20 * 2**30:
    raise SystemExit("the model needs the large card")
weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices warning
